import { PassThrough } from 'node:stream'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { beforeEach, describe, expect, it } from 'vitest'
import { serveStdio } from './serve-stdio.ts'

const request = (id: number, method: string, params: object = {}) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
const HELLO = request(1, 'initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
})

let input: PassThrough
let lines: string[]
let answer: PromiseWithResolvers<void>
let asked: PromiseWithResolvers<void>
let controller: AbortController
let served: Promise<void>
beforeEach(() => {
  input = new PassThrough()
  lines = []
  answer = Promise.withResolvers()
  asked = Promise.withResolvers()
  controller = new AbortController()
  const server = new Server({ name: 's', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler(CallToolRequestSchema, async () => {
    asked.resolve()
    await answer.promise
    return { content: [] }
  })
  const write = (text: string) => lines.push(text)
  served = serveStdio(server, { input, write, signal: controller.signal })
})

const idsOf = () => lines.map((line): unknown => JSON.parse(line).id)

describe('serveStdio', () => {
  it('answers everything requested before the input ended, then exits', async () => {
    input.end(`${HELLO}${request(2, 'tools/call', { name: 'x' })}`)
    await asked.promise
    answer.resolve()
    await served
    expect(idsOf()).toEqual([1, 2])
    expect(lines.every((line) => line.endsWith('\n'))).toBe(true)
  })

  it('does not wait for cancelled requests', async () => {
    input.write(`${HELLO}${request(2, 'tools/call', { name: 'x' })}`)
    await asked.promise
    const taken = { method: 'notifications/cancelled', params: { requestId: 2 } }
    input.end(`${JSON.stringify({ jsonrpc: '2.0', ...taken })}\n`)
    await served
    expect(idsOf()).toEqual([1])
  })

  it('ends immediately when aborted', async () => {
    input.write(`${HELLO}${request(2, 'tools/call', { name: 'x' })}`)
    await asked.promise
    controller.abort()
    await served
    expect(idsOf()).not.toContain(2)
  })

  it('ignores invalid lines', async () => {
    input.end(`rubbish\n{"jsonrpc":"1.0"}\n[]\n\n\u0000\n${HELLO}`)
    await served
    expect(idsOf()).toEqual([1])
  })
})
