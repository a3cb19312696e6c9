/**
 * Loaded before a daemon (`node --import`) to shift its wall clock. Only `Date` changes: timers and monotonic clocks are
 * not affected, as on a machine with a wrong clock.
 */
const shiftMs = Number(process.env.DRILL_CLOCK_SHIFT_MS ?? 0);
const RealDate = Date;
const now = () => RealDate.now() + shiftMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length > 0 ? given : [now()], newTarget),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
