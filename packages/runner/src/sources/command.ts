import { homedir } from 'node:os'
import { dirname, resolve } from 'node:path'
import { LIMITS, parseJson, StewardError, unwrap } from '@steward/contract'
import {
  type FlowItem,
  itemsFromJson,
  itemsOfLines,
  requiredSecret,
  type SourceOf,
} from '@steward/engine'
import { expandTilde } from '@steward/platform'
import { findPython, isPython } from '../command-action/python.ts'
import type { ReadSource } from './source.ts'

/** What a program prints, run in the sandbox like an action that is a program. */
export const readCommand: ReadSource<'command'> = async (source, ports) => {
  const { command, network, timeoutMs = LIMITS.shellTimeoutMs } = source
  const signal = ports.signal ?? new AbortController().signal
  const { argv, readable } = await prepare(command, ports.folder, ports.path)
  const secrets = (source.secrets ?? []).map((name) => [
    name,
    requiredSecret(name, ports.secret, 'the command source'),
  ])
  const run = ports.shell({ network, signal, limits: { timeoutMs } })
  const { stdout, stderr, code, truncated } = await run(argv, {
    env: { ...source.env, ...Object.fromEntries(secrets) },
    readPaths: [
      ...readable,
      ...(source.readPaths ?? []).map((each) => expandTilde(each, homedir())),
    ],
    timeoutMs,
  })
  const [program = ''] = command
  const fail = (reason: string) => new StewardError('upstream_failed', { service: program, reason })
  if (code !== 0) {
    const last = stderr.trim().split('\n').at(-1) ?? ''
    throw fail(`it ended with code ${code}${last === '' ? '' : `: ${last}`}`)
  }
  if (truncated) throw fail(`it printed more than ${LIMITS.shellOutputBytes} bytes`)
  return itemsOf(stdout, source, `the output of ${program}`)
}

/** `./name` is a file beside the registry; the sandbox shows the program no other one from there. */
const prepare = async (
  command: readonly string[],
  folder: string,
  path: string,
): Promise<{ argv: string[]; readable: string[] }> => {
  const own = command.map((each) => (each.startsWith('./') ? resolve(folder, each) : each))
  const files = own.filter((each, index) => each !== command[index])
  const [program = '', ...rest] = own
  if (!isPython(program)) return { argv: own, readable: files }
  const python = await findPython(program, path)
  return {
    argv: [python.executable, ...rest],
    readable: [...files, dirname(python.executable), ...python.folders],
  }
}

const itemsOf = (output: string, source: SourceOf<'command'>, subject: string): FlowItem[] => {
  if (source.format === 'json') {
    return itemsFromJson(unwrap(parseJson(output, subject, LIMITS.jsonDepth)), source, subject)
  }
  if (source.format === 'lines') return itemsOfLines(output)
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  return lines.flatMap((line, index) => {
    const place = `${subject}, line ${index + 1}`
    const json = unwrap(parseJson(line, place, LIMITS.jsonDepth))
    return itemsFromJson(json, source, place)
  })
}
