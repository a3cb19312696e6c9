/**
 * Loaded before a daemon (`node --import`): its wall clock is off by so many milliseconds. Only `Date` moves: timers and
 * monotonic clocks run on as they would on a machine whose clock is set wrong.
 */
const shiftMs = Number(process.env.DRILL_CLOCK_SHIFT_MS ?? 0);
const RealDate = Date;
const now = () => RealDate.now() + shiftMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length > 0 ? given : [now()], newTarget),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
