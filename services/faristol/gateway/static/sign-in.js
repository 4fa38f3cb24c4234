// A link for signing in has its code in the fragment, which is not sent to servers. The code is written to the form and
// removed from the address, so that no history has it. The user must press the button, so that previews of links cannot
// sign in.

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

// A user who was signed out while sending a form gets the typed input back: see console.js.
const unsent = JSON.parse(sessionStorage.getItem("faristol-unsent") ?? "null");
const next = new URLSearchParams(location.search).get("next");
if (unsent && next === unsent.path) sessionStorage.setItem("faristol-ended", "yes");
