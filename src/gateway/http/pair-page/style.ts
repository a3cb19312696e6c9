/** Styles of the page of a one-time address: one column, from 320 pixels, light and dark. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --back: #f2f5f4; --card: #fff; --text: #15211d; --soft: #55645e; --line: #dbe3e0;
  --main: #0b7a5c; --main-text: #fff; --error: #a3271d; --error-back: #fdecea; --code: #eaf4f0;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #0d1412; --card: #16201d; --text: #e8efec; --soft: #a3b3ac; --line: #2c3a35;
    --main: #35c496; --main-text: #06231a; --error: #ffb4ab; --error-back: #3b1512; --code: #1d2c27;
  }
}
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
body {
  margin: 0; min-height: 100vh; min-height: 100dvh; padding: 16px; display: flex; flex-direction: column; align-items: center;
  background: var(--back); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: anywhere;
}
main {
  width: 100%; max-width: 460px; margin: auto 0 0; padding: 24px; border: 1px solid var(--line); border-radius: 20px;
  background: var(--card);
}
header { display: flex; align-items: center; gap: 12px; margin-bottom: 20px; }
header img { flex: none; border-radius: 10px; }
h1 { margin: 0; font-size: 20px; line-height: 1.25; }
h2 { margin: 0 0 8px; font-size: 18px; line-height: 1.3; }
p { margin: 0 0 12px; }
.centre { text-align: center; }
figure { margin: 0 auto 20px; padding: 12px; width: fit-content; max-width: 100%; border-radius: 16px; background: #fff; border: 1px solid var(--line); }
figure img { display: block; width: 256px; max-width: 100%; height: auto; image-rendering: pixelated; }
ol { margin: 0 0 16px; padding: 0; list-style: none; counter-reset: step; }
ol > li { position: relative; padding: 0 0 12px 38px; counter-increment: step; }
ol > li::before {
  content: counter(step); position: absolute; left: 0; top: 0; width: 26px; height: 26px; border-radius: 50%;
  background: var(--code); color: var(--main); font-weight: 600; font-size: 14px; line-height: 26px; text-align: center;
}
a { color: var(--main); }
button {
  display: block; width: 100%; min-height: 48px; padding: 10px 20px; border: 1px solid transparent; border-radius: 12px;
  background: var(--main); color: var(--main-text); font: inherit; font-weight: 600; cursor: pointer;
}
button:hover { filter: brightness(1.08); }
button:disabled { opacity: .55; cursor: default; }
button.quiet { margin-bottom: 20px; background: none; border-color: var(--line); color: var(--main); }
:focus-visible { outline: 3px solid var(--main); outline-offset: 2px; }
label { display: block; margin-bottom: 6px; font-weight: 600; }
input, textarea {
  width: 100%; min-height: 48px; padding: 10px 14px; border: 1px solid var(--line); border-radius: 12px;
  background: var(--back); color: inherit; font: inherit;
}
textarea { margin-bottom: 12px; resize: vertical; font: 13px/1.4 ui-monospace, monospace; }
.row { display: flex; flex-wrap: wrap; gap: 10px; }
.row input { flex: 1 1 180px; }
.row button { flex: 1 0 auto; width: auto; }
details { border-top: 1px solid var(--line); padding-top: 14px; }
summary { min-height: 32px; color: var(--main); font-weight: 600; cursor: pointer; }
details[open] summary { margin-bottom: 10px; }
.code {
  display: block; margin: 8px 0 16px; padding: 18px 8px; border-radius: 16px; background: var(--code);
  font: 700 30px/1.2 ui-monospace, "SF Mono", Menlo, monospace; letter-spacing: .08em; text-align: center; white-space: nowrap;
}
pre {
  margin: 10px 0; padding: 12px; max-height: 108px; overflow: auto; border: 1px solid var(--line); border-radius: 12px;
  background: var(--back); font: 12px/1.5 ui-monospace, monospace; white-space: pre-wrap; word-break: break-all;
}
kbd { white-space: nowrap; padding: 1px 6px; border: 1px solid var(--line); border-radius: 6px; background: var(--back); font: 13px ui-monospace, monospace; }
.error { padding: 12px 14px; border-radius: 12px; background: var(--error-back); color: var(--error); }
.hint, .left { margin: 12px 0 0; color: var(--soft); font-size: 14px; }
.left { text-align: center; }
.spinner {
  width: 48px; height: 48px; margin: 24px auto 20px; border: 4px solid var(--line); border-top-color: var(--main);
  border-radius: 50%; animation: turn 1s linear infinite;
}
@keyframes turn { to { transform: rotate(1turn); } }
@media (prefers-reduced-motion: reduce) { .spinner { animation-duration: 6s; } }
.tick { display: block; width: 88px; margin: 12px auto 16px; fill: none; stroke: var(--main); stroke-width: 4; stroke-linecap: round; stroke-linejoin: round; }
.tick circle { fill: var(--code); stroke: none; }
footer { max-width: 460px; margin: 0 0 auto; padding: 16px 8px; color: var(--soft); font-size: 13px; text-align: center; }
footer p { margin: 0; }
@media (max-width: 400px) {
  body { padding: 0 0 8px; background: var(--card); }
  main { padding: 20px 16px 8px; border: 0; border-radius: 0; margin: 0; }
  .code { font-size: 26px; }
}
`.trimStart();
