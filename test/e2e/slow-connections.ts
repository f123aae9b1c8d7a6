import { sendRaw } from '../../packages/daemon/src/server/testing/raw-request.ts'
import { createCli } from './cli-process.ts'
import { type DaemonProcess, startDaemonProcess } from './daemon-process.ts'

const COUNT = 200

/** A daemon with connections that start a request and never finish it. */
export interface SlowConnections {
  daemon: DaemonProcess
  /** The status of another request while they were open. */
  statusMeanwhile: number
  /** The responses to connections with unfinished headers and with an unfinished body. */
  headers: Promise<string[]>
  body: Promise<string>
  close: () => Promise<void>
}

export const openSlowConnections = async (): Promise<SlowConnections> => {
  const cli = createCli()
  const daemon = await startDaemonProcess(cli)
  const { port } = daemon
  const headers = Promise.all(
    Array.from({ length: COUNT }, () =>
      sendRaw(port, `GET /health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-Slow: `),
    ),
  )
  const body = sendRaw(
    port,
    `POST /api/observability/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n[`,
  )
  // The test that awaits them reports a failure; until then it must not count as unhandled.
  for (const answer of [headers, body]) answer.catch(() => undefined)
  const { status } = await daemon.fetch('/health')
  return {
    daemon,
    statusMeanwhile: status,
    headers,
    body,
    close: async () => {
      await daemon.kill()
      cli.remove()
    },
  }
}
