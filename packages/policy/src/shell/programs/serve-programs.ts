import { MARK } from '../marks.ts'
import { type Call, type Program, readArguments, valuesGiven } from '../program.ts'

/** Whoever may connect reads all that lies below. */
export const serveDirectory = ({ shell, state }: Call, directory: string | undefined): void => {
  const places = directory === undefined ? state.directories : [directory]
  for (const place of places) shell.read(place, { recursive: true })
}

const ROOTS = ['-h', '--home', '--root', '-r', '-d', '--directory', '--dir', '--path']

/** The directory is an operand, or the value of an option. */
const serve: Program = (call) => {
  const { operands } = readArguments(call.args, ['p', 'port', 'l', 'listen', 'a', 'c', 'h', 'b'])
  const [named] = valuesGiven(call.args, ROOTS)
  serveDirectory(call, named ?? operands.find((arg) => !/^\d+$/.test(arg)))
  return MARK.unknown
}

const caddy: Program = (call) => {
  if (call.args[0] !== 'file-server') return MARK.unknown
  serveDirectory(call, valuesGiven(call.args, ['--root', '-r'])[0])
  return MARK.unknown
}

/** Programs that show a directory to the network. */
export const SERVE_PROGRAMS: Record<string, Program> = {
  ...Object.fromEntries(
    [
      'serve',
      'http-server',
      'live-server',
      'httpd',
      'darkhttpd',
      'miniserve',
      'webfsd',
      'sfz',
      'twistd',
    ].map((name) => [name, serve]),
  ),
  caddy,
}
