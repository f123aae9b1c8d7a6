import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type StandInHost, startStandInHost } from './testing/stand-in-host.ts'

let folder = ''
let hosts: StandInHost[] = []
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'steward-trusted-'))
  hosts = await Promise.all(
    [1, 2, 3].map(() => startStandInHost((_, response) => response.end('hi'))),
  )
  for (const [index, { ca }] of hosts.entries()) writeFileSync(join(folder, `${index}.pem`), ca)
})
afterAll(async () => {
  for (const { close } of hosts) await close()
  rmSync(folder, { recursive: true, force: true })
})

/**
 * Requests all hosts where the proxy itself terminates TLS; in a separate process, because these
 * settings are read at its start.
 */
const SCRIPT = `
const [, ...ports] = process.argv
const { readFileSync } = await import('node:fs')
const { connect } = await import('node:net')
const { openEgress } = await import('${import.meta.dirname}/open-egress.ts')
const { askThrough } = await import('${import.meta.dirname}/testing/ask-through.ts')
const egress = await openEgress({
  sessionId: 'sesn_1', networking: { type: 'unrestricted' }, seenAt: 'its-own-path',
  dial: async (host) => connect(Number(ports[Number(host[1])]), '127.0.0.1'),
  credentials: [{ name: 'KEY', secret: 'long-secret', allowedHosts: 'any', inject: { header: true, body: false } }],
})
const inside = readFileSync(egress.env.NODE_EXTRA_CA_CERTS, 'utf8')
for (const [index] of ports.entries()) {
  const { status } = await askThrough(egress, 'https://h' + index + '.test/', { ca: [inside] })
  console.log(status)
}
await egress.close()
`

it('trusts the certificates of NODE_EXTRA_CA_CERTS and of the system, and no others', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', SCRIPT, ...hosts.map(({ port }) => String(port))],
    {
      env: {
        PATH: process.env.PATH,
        NODE_EXTRA_CA_CERTS: join(folder, '0.pem'),
        SSL_CERT_FILE: join(folder, '1.pem'),
      },
    },
  )
  expect(stdout).toBe('200\n200\n502\n')
})
