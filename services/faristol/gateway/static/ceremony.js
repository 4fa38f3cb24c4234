// Keys of the ceremony, also those of presenters: the next step and the one before.

const NEXT = ["ArrowRight", "ArrowDown", "PageDown", " ", "Enter"];
const BEFORE = ["ArrowLeft", "ArrowUp", "PageUp", "Backspace"];

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("a, button, summary, input")) return;
  const rel = NEXT.includes(event.key) ? "next" : BEFORE.includes(event.key) ? "prev" : "";
  const link = rel && document.querySelector(`.ceremony a[rel="${rel}"]`);
  if (!link) return;
  event.preventDefault();
  location.assign(link.href);
});
