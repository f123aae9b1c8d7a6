import { MARK } from '../marks.ts'
import { type Call, type Program, readArguments } from '../program.ts'

/** What the command line itself put into a file, or what comes in where the file stands for that. */
export const contentFor = ({ shell, stdin }: Call, path: string): string | undefined =>
  /^\/(?:dev\/stdin|(?:dev|proc\/self)\/fd\/0)$/.test(path)
    ? stdin || undefined
    : shell.contentOf(path)

/** Reads its operands, or passes on what comes in. */
export const readOperands =
  (...valued: string[]): Program =>
  (call) => {
    const { args, stdin, shell } = call
    const { operands, values } = readArguments(args, valued)
    const files = operands.filter((path) => path !== '-')
    for (const path of files) shell.read(path)
    // What is a value to one program is a file to another.
    for (const value of [...values.values()].flat())
      if (/[/.~]/.test(value)) shell.read(value, { mention: true })
    readOptionFiles(call)
    if (files.length === 0) return stdin
    return files.map((path) => contentFor(call, path) ?? MARK.unknown).join('\n')
  }

/** `--files-from=/x`, `-f/x` and `@/x` name a file to be read, whatever the option is called. */
const readOptionFiles = ({ args, shell }: Call): void => {
  for (const arg of args) {
    const path = /^(?:--?[\w-]+=@?|@|-[A-Za-z])([/~].*)$/s.exec(arg)?.[1]
    if (path !== undefined) shell.read(path, { mention: true })
  }
}

/** What a program makes of text that it does not show as it was: secrets stay secrets in any spelling. */
export const reshaped = (text: string): string =>
  text.includes(MARK.secret) ? MARK.secret : MARK.unknown
