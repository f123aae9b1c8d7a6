/** Loaded with `--import`: this process's wall clock is off by `CHAOS_CLOCK_MS`. */
const offsetMs = Number(process.env.CHAOS_CLOCK_MS ?? 0)
const RealDate = Date
globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [RealDate.now() + offsetMs] : given))
  }
  static now() {
    return RealDate.now() + offsetMs
  }
}
