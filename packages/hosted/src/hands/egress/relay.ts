import { STATUS_CODES } from 'node:http'
import { Socket } from 'node:net'
import { type Duplex, pipeline } from 'node:stream'
import type { ProxyContext, Refusal } from './proxy-context.ts'

/** Passes bytes both ways, unread, until both sides have ended or one has failed. */
export const relay = (inner: Duplex, outer: Duplex, { meter, limits }: ProxyContext): void => {
  const end = () => {
    inner.destroy()
    outer.destroy()
  }
  // A failure on one side can only be signalled to the other by ending it.
  const onEnd = (thrown: unknown) => {
    if (thrown) end()
  }
  if (outer instanceof Socket) outer.setTimeout(limits.idleMs, end)
  pipeline(inner, meter(), outer, onEnd)
  pipeline(outer, meter(), inner, onEnd)
}

/** Responds on a bare connection and ends it. */
export const endWith = (inner: Duplex, { status, reason }: Refusal): void => {
  const body = `The sandbox's egress: ${reason}\n`
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: text/plain; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  inner.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
}
