import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import type { Networking } from '../../hands.ts'
import { createResolve } from '../dial.ts'
import type { EgressDecision } from '../egress.ts'
import { createHostRules } from '../host-rules.ts'
import { readQuestion, writeAnswer, writeNumbersAndName, writeTexts } from './dns-message.ts'
import { createNameServer } from './name-server.ts'
import { createStandInAddresses } from './stand-in-addresses.ts'

const A = 1
const AAAA = 28
const NAMES: Record<string, string> = { 'public.test': '93.184.216.34', 'inner.test': '10.0.0.1' }

const open: Array<{ server: Server; folder: string }> = []
afterEach(() => {
  for (const { server, folder } of open.splice(0)) {
    server.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

const start = async (networking: Networking) => {
  const decisions: Array<Omit<EgressDecision, 'sessionId'>> = []
  const looked: string[] = []
  const addresses = createStandInAddresses()
  const server = createNameServer({
    rules: createHostRules(networking),
    resolve: createResolve({
      lookup: async (name) => {
        looked.push(name)
        const address = NAMES[name]
        if (address === undefined) throw Object.assign(new Error(name), { code: 'ENOTFOUND' })
        return [{ address, family: 4 }]
      },
    }),
    addresses,
    note: (decision) => decisions.push(decision),
  })
  const folder = mkdtempSync(join(tmpdir(), 'names-'))
  open.push({ server, folder })
  server.listen(join(folder, 'names.sock'))
  await once(server, 'listening')
  const exchange = async (...messages: Buffer[]): Promise<Buffer> => {
    const socket = connect(join(folder, 'names.sock'))
    const framed = messages.map((message) => {
      const length = Buffer.alloc(2)
      length.writeUInt16BE(message.length)
      return Buffer.concat([length, message])
    })
    socket.write(Buffer.concat(framed))
    const got: Buffer[] = []
    let wanted = messages.length
    socket.on('data', (chunk) => {
      got.push(Buffer.from(chunk))
      const all = Buffer.concat(got)
      let at = 0
      for (wanted = messages.length; at + 2 <= all.length; wanted -= 1)
        at += 2 + all.readUInt16BE(at)
      if (wanted <= 0 && at === all.length) socket.destroy()
    })
    await once(socket, 'close')
    return Buffer.concat(got)
  }
  return { exchange, decisions, looked, addresses }
}

const query = (name: string, type = A, id = 7): Buffer => {
  const header = Buffer.alloc(12)
  header.writeUInt16BE(id, 0)
  header.writeUInt16BE(0x0100, 2)
  header.writeUInt16BE(1, 4)
  const end = Buffer.from([0, type, 0, 1])
  return Buffer.concat([header, writeNumbersAndName([], name), end])
}

/** The result and the last four bytes of the first answer, which are the address of an A record. */
const read = (framed: Buffer) => ({
  id: framed.readUInt16BE(2),
  result: framed.readUInt16BE(4) & 0xf,
  answers: framed.readUInt16BE(8),
  address: [...framed.subarray(2 + framed.readUInt16BE(0) - 4, 2 + framed.readUInt16BE(0))].join(
    '.',
  ),
})

const limited = (...allowedHosts: string[]): Networking => ({
  ...{ type: 'limited', allowedHosts, allowPackageManagers: false, mcpHosts: [] },
})

describe('the name server of a sandbox', () => {
  it('answers a public name with an address that stands for it', async () => {
    const { exchange, addresses } = await start({ type: 'unrestricted' })
    const { address, ...rest } = read(await exchange(query('Public.TEST')))
    expect(rest).toEqual({ id: 7, result: 0, answers: 1 })
    expect(addresses.find(address)).toBe('public.test')
    expect(read(await exchange(query('public.test', AAAA)))).toMatchObject({
      result: 0,
      answers: 0,
    })
  })

  it('knows no name that does not exist, is private, or is an address', async () => {
    const { exchange, decisions } = await start({ type: 'unrestricted' })
    for (const name of ['nothing.test', 'inner.test', '127.0.0.1', '0x7f.1'])
      expect(read(await exchange(query(name))), name).toMatchObject({ result: 3, answers: 0 })
    expect(decisions).toMatchObject([
      {
        host: 'inner.test',
        way: 'name',
        allowed: false,
        reason: expect.stringContaining('a private address'),
      },
    ])
  })

  it('never looks up a name that the environment does not allow, so nothing leaves by it', async () => {
    const { exchange, looked, decisions } = await start(limited('public.test:5432'))
    expect(read(await exchange(query('stolen-data.evil.test')))).toMatchObject({ result: 3 })
    expect(read(await exchange(query('stolen-data.evil.test', 16)))).toMatchObject({ result: 3 })
    expect(read(await exchange(query('public.test')))).toMatchObject({ result: 0, answers: 1 })
    expect(looked).toEqual(['public.test'])
    expect(decisions).toMatchObject([
      { host: 'stolen-data.evil.test', allowed: false },
      { host: 'stolen-data.evil.test', allowed: false },
    ])
  })

  it('answers several queries of one connection in order', async () => {
    const { exchange } = await start({ type: 'unrestricted' })
    const names = Array.from({ length: 20 }, (_, id) => query('public.test', A, id))
    const all = await exchange(...names)
    const ids: number[] = []
    for (let at = 0; at < all.length; at += 2 + all.readUInt16BE(at))
      ids.push(all.readUInt16BE(at + 2))
    expect(ids).toEqual(Array.from({ length: 20 }, (_, id) => id))
  })

  it('ends a connection that sends something else', async () => {
    const { exchange } = await start({ type: 'unrestricted' })
    expect(await exchange(Buffer.from('GET / HTTP/1.1\r\n\r\n'))).toHaveLength(0)
  })
})

describe('DNS messages', () => {
  it('are read without a failure, whatever they hold', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
        const question = readQuestion(Buffer.from(bytes))
        if (question !== undefined) expect(writeAnswer(question, 0).length).toBeGreaterThan(12)
      }),
    )
  })

  it('write records of names and texts', () => {
    expect([...writeNumbersAndName([10], 'mx.a')]).toEqual([0, 10, 2, 109, 120, 1, 97, 0])
    expect([...writeTexts(['ab', 'c'])]).toEqual([2, 97, 98, 1, 99])
  })
})
