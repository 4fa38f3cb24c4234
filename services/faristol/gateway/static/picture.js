// Sends a picture to the console as it is: a form without a script cannot send a file in this format.

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("form[data-picture]");
  if (!form) return;
  event.preventDefault();
  const [file] = form.querySelector("input[type=file]").files;
  const name = form.elements.picture_name.value;
  const problem = form.querySelector("[data-problem]");
  const button = form.querySelector("button");
  button.disabled = true;
  try {
    const answer = await fetch(`${form.dataset.picture}?name=${encodeURIComponent(name)}`, {
      method: "POST",
      headers: { "Content-Type": "application/octet-stream" },
      body: file,
    });
    const { next, problem: text, detail } = await answer.json();
    if (next) return location.assign(next);
    problem.textContent = text ?? detail ?? `${answer.status}`;
    problem.hidden = false;
  } catch (failure) {
    problem.textContent = failure.message;
    problem.hidden = false;
  } finally {
    button.disabled = false;
  }
});
