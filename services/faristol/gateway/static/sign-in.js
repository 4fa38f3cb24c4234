// A link to sign in by has its code in the fragment, which no server sees. It goes into the form, and out of the
// address, so that it is in no history. Signing in is left to whoever reads the page: a preview presses no button.

function take() {
  const code = location.hash.slice(1);
  if (!code) return;
  history.replaceState(null, "", location.pathname + location.search);
  const form = document.getElementById("by-link");
  form.elements.code.value = code;
  form.classList.add("filled");
  form.querySelector("button").focus();
}

addEventListener("hashchange", take);
take();

// Whoever was signed out while a form was sent finds what was typed in it again: see console.js.
const unsent = JSON.parse(sessionStorage.getItem("faristol-unsent") ?? "null");
const next = new URLSearchParams(location.search).get("next");
if (unsent && next === unsent.path) sessionStorage.setItem("faristol-ended", "yes");
