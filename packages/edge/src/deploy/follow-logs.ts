import { isJsonObject, parseJson, StewardError } from '@steward/contract'
import type { PlatformApi } from './platform-api.ts'

/** One invocation as the platform's tail reports it. */
export type TailEvent = Record<string, unknown>

export interface FollowPorts {
  api: PlatformApi
  webSocket: (url: string, protocol: string) => WebSocket
  signal: AbortSignal
  onOpen: (worker: string) => void
  onEvent: (worker: string, event: TailEvent) => void
}

/** The WebSocket protocol of the platform's tail. */
const PROTOCOL = 'trace-v1'

/** Reports a worker's invocations until the signal. If the platform closes the tail, it is opened again. */
export const followLogs = async (ports: FollowPorts, worker: string): Promise<void> => {
  while (!ports.signal.aborted) {
    const { id, url } = await ports.api.openTail(worker)
    try {
      // The abort may have come while the tail was being opened.
      if (!ports.signal.aborted) await readTail(ports, worker, url)
    } finally {
      await ports.api.closeTail(worker, id)
    }
  }
}

const readTail = (
  { webSocket, signal, onOpen, onEvent }: FollowPorts,
  worker: string,
  url: string,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = webSocket(url, PROTOCOL)
    let opened = false
    const stop = () => socket.close()
    signal.addEventListener('abort', stop, { once: true })
    socket.addEventListener('open', () => {
      opened = true
      socket.send(JSON.stringify({ debug: false }))
      onOpen(worker)
    })
    socket.addEventListener('message', ({ data }) => {
      void toText(data).then((text) => {
        const event = parseJson(text, 'an event of the tail')
        if (event.ok && isJsonObject(event.value)) onEvent(worker, event.value)
      }, reject)
    })
    socket.addEventListener('close', ({ code, reason }) => {
      signal.removeEventListener('abort', stop)
      if (opened || signal.aborted) return resolve()
      const said = `the tail could not be opened (${code}${reason === '' ? '' : `: ${reason}`})`
      reject(new StewardError('upstream_failed', { service: "the platform's logs", reason: said }))
    })
  })

const toText = async (data: unknown): Promise<string> => {
  if (typeof data === 'string') return data
  if (data instanceof Blob) return data.text()
  return data instanceof ArrayBuffer ? new TextDecoder().decode(data) : ''
}

/** Readable lines: the invocation, then its log messages and exceptions. */
export const describeTailEvent = (event: TailEvent): string[] => {
  const outcome = typeof event.outcome === 'string' ? event.outcome : 'unknown'
  return [
    `${describeTrigger(event.event)} ${outcome}`,
    ...listOf(event.logs).map(({ level, message }) => `  ${textOf(level)}: ${listText(message)}`),
    ...listOf(event.exceptions).map(
      ({ name, message }) => `  exception: ${textOf(name)}: ${textOf(message)}`,
    ),
  ]
}

const describeTrigger = (trigger: unknown): string => {
  if (!isJsonObject(trigger)) return 'call'
  if (isJsonObject(trigger.request)) {
    const { method, url } = trigger.request
    const status = isJsonObject(trigger.response) ? ` ${textOf(trigger.response.status)}` : ''
    return `${textOf(method)} ${textOf(url)}${status}`
  }
  if (trigger.cron !== undefined) return `cron "${textOf(trigger.cron)}"`
  if (trigger.queue !== undefined) {
    return `queue ${textOf(trigger.queue)}, ${textOf(trigger.batchSize)} messages`
  }
  return 'call'
}

const listOf = (value: unknown) => (Array.isArray(value) ? value.filter(isJsonObject) : [])

const listText = (message: unknown): string =>
  Array.isArray(message) ? message.map(textOf).join(' ') : textOf(message)

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
