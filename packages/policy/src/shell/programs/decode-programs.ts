import { decodeAnsiC } from '../ansi-c.ts'
import { isPlain, MARK } from '../marks.ts'
import { hasFlag, type Program, readArguments } from '../program.ts'
import { readOperands, reshaped } from './read-operands.ts'

const base64: Program = (call) => {
  const { args, stdin } = call
  const decodes = args.some((arg) => /^(-d|-D|--decode|-di)$/.test(arg))
  const input = readOperands('w', 'wrap')({ ...call, args: args.filter((arg) => arg !== '-D') })
  if (!decodes) return reshaped(stdin)
  return decodeWith(stdin === '' ? input : stdin, (text) => {
    const bytes = Uint8Array.from(atob(text.replace(/\s/g, '')), (char) => char.charCodeAt(0))
    return new TextDecoder().decode(bytes)
  })
}

const hexDump: Program = (call) => {
  const { args, stdin } = call
  readOperands('c', 'l', 's')(call)
  if (!args.some((arg) => /^-\w*r/.test(arg))) return reshaped(stdin)
  return decodeWith(stdin, (text) =>
    text
      .replace(/\s/g, '')
      .replace(/[0-9a-f]{2}/gi, (pair) => String.fromCharCode(Number.parseInt(pair, 16))),
  )
}

/** Text that a command unpacks is read where we can, and otherwise remembered as hidden. */
const decodeWith = (text: string, decode: (text: string) => string): string => {
  if (text === '') return ''
  if (!isPlain(text)) return MARK.decoded
  try {
    return decode(text)
  } catch {
    return MARK.decoded
  }
}

const decompress: Program = (call) => {
  readOperands()(call)
  return call.stdin.includes(MARK.remote) ? MARK.remote : MARK.decoded
}

const reverse: Program = (call) => {
  readOperands()(call)
  return isPlain(call.stdin) ? [...call.stdin.trimEnd()].reverse().join('') : MARK.decoded
}

const translate: Program = ({ args, stdin }) =>
  !isPlain(stdin) || stdin === '' ? stdin : translatePlain(args, stdin)

const translatePlain = (args: readonly string[], text: string): string => {
  const read = readArguments(args)
  const [from = '', to = ''] = read.operands.map(expandSet)
  if (hasFlag(read, 'c', 'C')) return MARK.unknown
  if (hasFlag(read, 'd')) return [...text].filter((char) => !from.includes(char)).join('')
  if (to === '') return text
  return [...text]
    .map((char) => {
      const at = from.indexOf(char)
      return at === -1 ? char : (to[Math.min(at, to.length - 1)] ?? char)
    })
    .join('')
}

const CLASSES: Record<string, string> = {
  '[:upper:]': 'A-Z',
  '[:lower:]': 'a-z',
  '[:digit:]': '0-9',
  '[:space:]': ' \t\n',
}

const expandSet = (set: string): string =>
  decodeAnsiC(set.replace(/\[:\w+:\]/g, (name) => CLASSES[name] ?? '')).replace(
    /(.)-(.)/g,
    (_, from: string, to: string) => {
      const start = from.charCodeAt(0)
      const length = Math.max(0, Math.min(to.charCodeAt(0) - start + 1, 256))
      return Array.from({ length }, (_unused, n) => String.fromCharCode(start + n)).join('')
    },
  )

/** Programs that pack, unpack and swap letters. */
export const DECODE_PROGRAMS: Record<string, Program> = {
  base64,
  base32: decompress,
  xxd: hexDump,
  gunzip: decompress,
  unxz: decompress,
  bunzip2: decompress,
  uudecode: decompress,
  rev: reverse,
  tr: translate,
}
