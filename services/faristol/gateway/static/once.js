// A form is sent once, however often its button is pressed while the answer is on its way.

const sent = new WeakSet();
const AGAIN = 5000; // ms after which it may be sent again: the answer never came

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post") return;
  if (sent.has(form)) {
    event.preventDefault();
    return;
  }
  sent.add(form);
  setTimeout(() => sent.delete(form), AGAIN);
});
