/** On a build server Ink would draw nothing but the last frame. It reads these variables when it is imported. */
for (const name of Object.keys(process.env)) {
  if (/^(CI|CONTINUOUS_INTEGRATION)/.test(name)) delete process.env[name];
}
