"""Do the tests of pure code notice when it is wrong? Small changes at random places, and the tests that meet them."""
