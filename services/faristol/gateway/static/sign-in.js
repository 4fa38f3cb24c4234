// A link for signing in has its code in the fragment, which is not sent to servers. The code is written to the form and
// removed from the address, so that no history has it. The user must press the button, so that previews of links cannot
// sign in.

import { toHallCode } from "./hall-code.js";

const form = document.getElementById("by-link");
const key = form.dataset.hallKey;

function take() {
  const code = location.hash.slice(1);
  if (!code) return;
  history.replaceState(null, "", location.pathname + location.search);
  form.elements.code.value = code;
  form.classList.add("filled");
  form.querySelector("button").focus();
}

addEventListener("hashchange", take);
take();

// The cell of a hall gets the code at this hall in place of that of the championship.
if (key)
  form.addEventListener("submit", () => {
    form.elements.code.value = toHallCode(form.elements.code.value, key);
  });

// A user who was signed out while sending a form gets the typed input back: see console.js.
const unsent = JSON.parse(sessionStorage.getItem("faristol-unsent") ?? "null");
const next = new URLSearchParams(location.search).get("next");
if (unsent && next === unsent.path) sessionStorage.setItem("faristol-ended", "yes");
