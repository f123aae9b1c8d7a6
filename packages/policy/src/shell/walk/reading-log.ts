import type { ShellReading, Unit } from '../effects.ts'
import type { Shell } from '../program.ts'

/** The results collected so far. New effects belong to the current unit. */
export class ReadingLog {
  readonly reading: ShellReading = { effects: [], units: [] }
  unit = -1
  /** Where commands run; undefined for this machine. */
  private machine: string | undefined
  private readonly seen = new Set<string>()

  emit(effect: Parameters<Shell['emit']>[0]): void {
    const unit = Math.max(this.unit, 0)
    const place = this.machine === undefined ? {} : { machine: this.machine }
    const key = `${unit} ${JSON.stringify({ ...effect, ...place })}`
    if (this.seen.has(key)) return
    this.seen.add(key)
    this.reading.effects.push({
      ...effect,
      ...place,
      unit,
      part: this.reading.units[unit]?.part ?? '',
    })
  }

  addUnit(unit: Unit): void {
    this.reading.units.push(unit)
    this.unit = this.reading.units.length - 1
  }

  onMachine<Value>(machine: string, look: () => Value): Value {
    const before = this.machine
    this.machine = machine
    const value = look()
    this.machine = before
    return value
  }

  /** Restores the current unit afterwards. */
  aside<Value>(look: () => Value): Value {
    const { unit } = this
    const value = look()
    this.unit = unit
    return value
  }
}
