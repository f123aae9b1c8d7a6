import { MARK } from '../marks.ts'
import { type Call, type Program, readArguments } from '../program.ts'

/**
 * The content that the command line itself wrote to a file, or standard input if the path refers to
 * it.
 */
export const contentFor = ({ shell, stdin }: Call, path: string): string | undefined =>
  /^\/(?:dev\/stdin|(?:dev|proc\/self)\/fd\/0)$/.test(path)
    ? stdin || undefined
    : shell.contentOf(path)

/** Reads its operands, or passes on standard input. */
export const readOperands =
  (...valued: string[]): Program =>
  (call) => {
    const { args, stdin, shell } = call
    const { operands, values } = readArguments(args, valued)
    const files = operands.filter((path) => path !== '-')
    for (const path of files) shell.read(path)
    // An option value of one program is a file to another.
    for (const value of [...values.values()].flat())
      if (/[/.~]/.test(value)) shell.read(value, { mention: true })
    readOptionFiles(call)
    if (files.length === 0) return stdin
    return files.map((path) => contentFor(call, path) ?? MARK.unknown).join('\n')
  }

/** `--files-from=/x`, `-f/x` and `@/x` name an input file, whatever the option is called. */
const readOptionFiles = ({ args, shell }: Call): void => {
  for (const arg of args) {
    const path = /^(?:--?[\w-]+=@?|@|-[A-Za-z])([/~].*)$/s.exec(arg)?.[1]
    if (path !== undefined) shell.read(path, { mention: true })
  }
}

/** Marks transformed text: a secret stays a secret in any encoding. */
export const reshaped = (text: string): string =>
  text.includes(MARK.secret) ? MARK.secret : MARK.unknown
