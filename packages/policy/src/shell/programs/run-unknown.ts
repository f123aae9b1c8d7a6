import { MARK } from '../marks.ts'
import type { Call } from '../program.ts'

/** Options that say where something is put. */
const PUTS = /^--(?:prefix|target|install-dir|dest(?:ination)?|out-?dir|output-dir)(?:=(.+))?$/s

/** Words that may be paths are taken as such; the rest of an unknown program's doings is its own. */
export const runUnknown = ({ args, shell }: Call): string => {
  args.forEach((arg, n) => {
    const target = PUTS.exec(arg)
    const place = target?.[1] ?? (target === null ? undefined : args[n + 1])
    if (place !== undefined) shell.write(`${place}/${MARK.segment}`, { gentle: true })
  })
  for (const arg of args) {
    const value = arg.startsWith('-') ? /^--?[\w-]+=(.*)$/s.exec(arg)?.[1] : arg
    if (value === undefined || /\s/.test(value) || /^\w+:\/\//.test(value)) continue
    shell.read(value.replace(/^@/, ''), { mention: true })
    const assigned = /^\w+=(.+)$/.exec(value)?.[1]
    if (assigned !== undefined) shell.read(assigned, { mention: true })
  }
  return MARK.unknown
}
