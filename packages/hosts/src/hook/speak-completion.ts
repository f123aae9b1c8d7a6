import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { type HostEvent, isFields, parseJson } from '@steward/contract'
import { findCompletionLine } from '@steward/notify'
import { textOf } from '../shared/fields.ts'
import type { HookPorts } from './hook-ports.ts'

/** A daemon that hangs costs no more than this; the words are with it by then. */
const ANSWER_WAIT_MS = 300

/** Hands the line of an answer that is to be spoken to the daemon. Nobody is there: nothing is said. */
export const speakCompletion = async (event: HostEvent, ports: HookPorts): Promise<void> => {
  const { speaker } = ports.settings
  const found = findCompletionLine({
    text: event.last_assistant_message ?? '',
    ...(speaker === undefined ? {} : { speaker }),
    isSubagent: event.agent_id !== undefined,
    isRemote: ports.environment.CLAUDE_CODE_REMOTE === 'true',
  })
  if ('skip' in found || !ports.isDaemonUp()) return
  const address = addressOf(ports)
  if (address === undefined) return
  const message = ports.redactor.redactText(found.line).value
  const body = JSON.stringify({ message, session_id: event.session_id })
  await post(address, '/notify', body, tokenOf(ports))
}

const addressOf = ({ home }: HookPorts): URL | undefined => {
  const file = join(home.databases, 'daemon.json')
  const info = parseJson(readIfThere(file), file)
  const address = info.ok && isFields(info.value) ? textOf(info.value, 'address') : undefined
  return address !== undefined && URL.canParse(address) ? new URL(address) : undefined
}

/** `auth.mode: strict` asks for it. */
const tokenOf = ({ home }: HookPorts): string => readIfThere(home.token).trim()

const readIfThere = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return ''
    throw thrown
  }
}

/** A bare socket: Node's HTTP client alone takes longer to load than the whole hook runs. */
const post = (address: URL, path: string, body: string, token: string): Promise<void> => {
  const { connect } = process.getBuiltinModule('node:net')
  const host = address.hostname.replaceAll(/[[\]]/g, '')
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${address.host}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(token === '' ? [] : [`Authorization: Bearer ${token}`]),
    'Connection: close',
  ]
  return new Promise((resolve) => {
    const socket: Socket = connect({ host, port: Number(address.port) })
    const done = () => {
      socket.destroy()
      resolve()
    }
    socket.setTimeout(ANSWER_WAIT_MS, done)
    socket.once('data', done)
    socket.once('close', done)
    // A daemon that went away a moment ago: a notification that cannot be given is no error.
    socket.once('error', done)
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  })
}
