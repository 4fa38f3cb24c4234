// Sends a form once, even if its button is pressed several times before the answer.

const sent = new WeakSet();
const RETRY_MS = 5000; // until it can be sent again without an answer

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post") return;
  if (sent.has(form)) {
    event.preventDefault();
    return;
  }
  sent.add(form);
  setTimeout(() => sent.delete(form), RETRY_MS);
});
