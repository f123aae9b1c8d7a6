import { decodeAnsiC } from '../ansi-c.ts'
import { computes } from '../expand-word.ts'
import { MARK } from '../marks.ts'
import type { Program } from '../program.ts'

const echo: Program = ({ args, shell }) => {
  // The names that a pattern stands for are shown.
  for (const arg of args) if (arg.includes(MARK.star)) shell.read(arg, { names: true })
  const read = /^-[neE]+$/.test(args[0] ?? '') ? args.slice(1) : args
  const text = read.join(' ')
  return args[0]?.startsWith('-') && args[0].includes('e') ? decodeAnsiC(text) : text
}

const printf: Program = ({ args, state, shell }) => {
  const isAssigned = args[0] === '-v'
  if (isAssigned && computes(args[1] ?? '')) shell.evaluate(args[1] ?? '')
  const [format = '', ...values] = (isAssigned ? args.slice(2) : args).filter((arg) => arg !== '--')
  const text = fillFormat(format, values)
  if (!isAssigned) return text
  state.variables.set(args[1] ?? '', [text])
  return ''
}

const fillFormat = (format: string, values: readonly string[]): string => {
  const waiting = [...values]
  const fillOnce = () =>
    decodeAnsiC(format).replace(
      /%(-?\d*(?:\.\d+)?)([sbdiqxofc%])/g,
      (_, width: string, kind: string) => {
        if (kind === '%') return '%'
        const value = waiting.shift() ?? ''
        if (kind === 'b') return decodeAnsiC(value)
        return /^[sdiqc]$/.test(kind) && width === '' ? value : MARK.segment
      },
    )
  let text = fillOnce()
  for (
    let rounds = 0;
    waiting.length > 0 && waiting.length < values.length && rounds < 64;
    rounds++
  ) {
    text += fillOnce()
  }
  return text
}

/** Programs that print what they are given. */
export const SAY_PROGRAMS: Record<string, Program> = { echo, printf, print: echo, yes: echo }
