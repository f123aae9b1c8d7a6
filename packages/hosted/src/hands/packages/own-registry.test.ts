import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NO_PACKAGES } from '@steward/contract'
import { DEFAULT_PATH, findCommand } from '@steward/platform'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHands } from '../create-hands.ts'
import { EGRESS_PORT } from '../egress/egress.ts'
import type { Hands } from '../hands.ts'
import { createProvisionSession } from '../mounts/provision-session.ts'
import { createPackageCache } from './package-cache.ts'
import { answerFrom, npmPages, type Pages, pipPages } from './testing/stand-in-registries.ts'

const hasBoth = ['npm', 'pip3'].every((command) => findCommand(command, DEFAULT_PATH).ok)

/** A registry on this machine; nothing else on it may be reached, by any name or address. */
describe.runIf(process.platform === 'linux' && hasBoth)(
  'a private registry',
  { timeout: 180_000 },
  () => {
    let home = ''
    let server: Server
    let other: Server
    let registry = ''
    let hands: Hands
    const told: string[] = []

    beforeAll(async () => {
      home = mkdtempSync(join(tmpdir(), 'steward-registry-'))
      const pages: Pages = {}
      server = createServer(answerFrom(pages))
      other = createServer((_, response) => response.end('not for sessions'))
      registry = `127.0.0.1:${await listen(server)}`
      await listen(other)
      const files = { 'index.js': 'console.log("own npm")\n' }
      Object.assign(
        pages,
        npmPages('steward-own', { '1.0.0': { manifest: {}, files } }, `http://${registry}/npm`),
        pipPages('steward_own', ['1.0'], {
          index: `http://${registry}/simple`,
          files: `http://${registry}/files`,
        }),
      )
      hands = await createHands({
        home,
        surround: createProvisionSession({
          packageCache: createPackageCache({
            ...{ folder: join(home, 'packages'), maxBytes: Infinity, maxIdleMs: Infinity },
          }),
          registries: { npm: `http://${registry}/npm/`, pip: `http://${registry}/simple/` },
          onError: (_, { message }) => told.push(message),
        }),
      })
    })
    afterAll(async () => {
      await hands.close()
      server.close()
      other.close()
      rmSync(home, { recursive: true, force: true })
    })

    const bash = async (id: string, command: string, allowPackageManagers: boolean) => {
      const npm = allowPackageManagers ? ['steward-own'] : []
      const pip = allowPackageManagers ? ['steward_own'] : []
      const session = {
        ...{ id, packages: { ...NO_PACKAGES, npm, pip }, mounts: [], credentials: [] },
        networking: {
          type: 'limited',
          allowedHosts: [registry],
          allowPackageManagers,
          mcpHosts: [],
        },
      } as const
      const call = { id: `sevt_${id}`, name: 'bash', input: { command }, config: {} }
      const { content } = await hands.execute(session, call, new AbortController().signal)
      return content[0]?.type === 'text' ? content[0].text.trim() : ''
    }
    const ask = (address: string) =>
      `curl -sS --noproxy '' -x http://127.0.0.1:${EGRESS_PORT} http://${address} 2>&1; echo`

    it('provides packages, over plain HTTP and on this machine too', async () => {
      const use = `node -e 'require("steward-own")'; steward_own; echo $NPM_CONFIG_REGISTRY $PIP_INDEX_URL`
      const said = await bash('sesn_1', use, true)
      expect(told).toEqual([])
      expect(said).toBe(
        `own npm\nsteward_own 1.0\nhttp://${registry}/npm/ http://${registry}/simple/`,
      )
    })

    it('is the only part of this machine that a session reaches', async () => {
      const address = other.address()
      const port = typeof address === 'object' ? address?.port : 0
      const said = await bash(
        'sesn_1',
        `${ask(`127.0.0.1:${port}`)}; ${ask(`${registry}/npm/steward-own`)}`,
        true,
      )
      expect(said).not.toContain('not for sessions')
      const own = registry.split(':')[1]
      expect(said).toContain(`port ${port} of 127.0.0.1 is not allowed, only ${own}`)
      expect(said).toContain('dist-tags')
    })

    it('is blocked like any other if package managers are not allowed', async () => {
      const said = await bash(
        'sesn_2',
        `${ask(`${registry}/npm/steward-own`)}; env | grep -c REGISTRY`,
        false,
      )
      expect(said).not.toContain('dist-tags')
      expect(said).toMatch(/refused to connect to 127\.0\.0\.1: .*\n0/s)
    })
  },
)

const listen = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}
