"""The page of the treasurer: fees, payments, receipts."""
