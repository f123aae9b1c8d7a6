import { homedir } from 'node:os'
import { dirname } from 'node:path'
import {
  type ActionContextV2,
  type JsonObject,
  LIMITS,
  parseJson,
  type Shell,
  StewardError,
} from '@steward/contract'
import { expandTilde } from '@steward/platform'
import type { LoadedAction } from '../catalog/index.ts'
import { findPython, isPython, openEnvironment } from './python.ts'

export interface CommandActionPorts {
  shell: Shell
  /** Where programs are looked for. */
  path: string
}

/**
 * Runs an action that is a program: its input is JSON on standard input, its output one JSON object on
 * standard output, and lines on standard error go to the log of the run.
 */
export const runCommandAction = async (
  { manifest, entry }: LoadedAction,
  command: readonly string[],
  input: JsonObject,
  context: ActionContextV2,
  { shell, path }: CommandActionPorts,
): Promise<unknown> => {
  const action = manifest.name
  const { argv, folders } = await prepareProgram(command, entry.path, path, context)
  const { stdout, stderr, code, truncated } = await shell(argv, {
    stdin: JSON.stringify(input),
    env: { ...PYTHON, ...manifest.env, ...secretsOf(context) },
    readPaths: [
      entry.path,
      ...folders,
      ...(manifest.readPaths ?? []).map((each) => expandTilde(each, homedir())),
    ],
    timeoutMs: manifest.timeoutMs ?? LIMITS.actionTimeoutMs,
  })
  const lines = stderr.split('\n').filter((line) => line.trim() !== '')
  for (const line of lines) context.log(line)
  if (code !== 0) {
    const last = lines.at(-1)
    const reason = `it ended with code ${code}${last === undefined ? '' : `: ${last}`}`
    throw new StewardError('action_failed', { action, reason })
  }
  if (truncated) throw wrong(action, `it printed more than ${LIMITS.shellOutputBytes} bytes`)
  const parsed = parseJson(stdout, 'its standard output', LIMITS.jsonDepth)
  if (parsed.ok) return parsed.value
  throw wrong(action, `${parsed.error.message}; print one JSON object, and notes to standard error`)
}

/** Its folder is read-only, so Python cannot keep compiled files there. */
const PYTHON = { PYTHONDONTWRITEBYTECODE: '1', PYTHONUNBUFFERED: '1' }

interface Program {
  argv: readonly string[]
  /** Read by the program itself. */
  folders: readonly string[]
}

const prepareProgram = async (
  command: readonly string[],
  folder: string,
  path: string,
  context: ActionContextV2,
): Promise<Program> => {
  const [program = '', ...rest] = command
  if (!isPython(program)) return { argv: command, folders: [] }
  const python = await findPython(program, path)
  const own = await openEnvironment(folder, python, { path, say: context.log })
  const folders = [dirname(python.executable), ...python.folders]
  return { argv: [own ?? python.executable, ...rest], folders }
}

const secretsOf = ({ env, secret }: ActionContextV2): Record<string, string> =>
  Object.fromEntries(
    env.secrets.flatMap((name) => {
      const value = secret(name)
      return value === undefined ? [] : [[name, value]]
    }),
  )

const wrong = (action: string, reason: string): StewardError =>
  new StewardError('invalid_output', { action, reason })
