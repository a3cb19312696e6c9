/** Settings of rooms, of which none waits for its room. */
export const NO_SETTINGS = { roomExists: async () => undefined };
