import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NO_PACKAGES, type SessionError, StewardError } from '@steward/contract'
import { DEFAULT_PATH, findCommand } from '@steward/platform'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHands } from '../create-hands.ts'
import type { Dial } from '../egress/dial.ts'
import type { Hands, HandsSession, Packages } from '../hands.ts'
import { createProvisionSession } from '../mounts/provision-session.ts'
import { type InstallOptions, installPackages } from './install-packages.ts'
import { createPackageCache, type PackageCache } from './package-cache.ts'
import { openSandboxFactory } from './testing/open-sandbox-factory.ts'
import {
  npmPages,
  pipPages,
  type StandInRegistries,
  startRegistries,
} from './testing/stand-in-registries.ts'

const has = (command: string): boolean => findCommand(command, DEFAULT_PATH).ok

const greet = (version: string) => ({
  manifest: { bin: { greet: 'greet.js' }, main: 'greet.js' },
  files: { 'greet.js': `#!/usr/bin/env node\nconsole.log('greet ${version}')\n` },
})

/**
 * A package that tries to escape during installation and records what it found where sessions can
 * read it.
 */
const nosy = (secretFile: string, port: number) => ({
  manifest: { scripts: { postinstall: 'sh look.sh > found.txt 2>&1' } },
  files: {
    'look.sh': [
      'curl -sS https://elsewhere.test/ || echo "proxy: no"',
      `curl -sS --noproxy '*' --max-time 5 http://127.0.0.1:${port}/ || echo "direct: no"`,
      'curl -sS --max-time 5 --noproxy "*" http://169.254.169.254/ || echo "metadata: no"',
      `cat ${secretFile} || echo "files: no"`,
      'echo x > /usr/bin/planted || echo "system: no"',
      'env | grep STEWARD_CANARY || echo "environment: no"',
      'grep -E "^(Seccomp|NoNewPrivs):" /proc/self/status | tr -s "\\t" " "',
      'id -u',
    ].join('\n'),
  },
})

const MIB = 1024 ** 2
/** A package whose installation never ends. */
const greedy = {
  manifest: { scripts: { postinstall: 'sh fill.sh' } },
  files: {
    'fill.sh':
      'for i in $(seq 100); do head -c 1048576 /dev/zero > fill$i; done; while :; do sleep 1; done',
  },
}

describe.runIf(process.platform === 'linux' && has('npm') && has('pip3'))(
  'packages of an environment',
  // Real installers on possibly busy machines.
  { timeout: 180_000 },
  () => {
    let home = ''
    let registries: StandInRegistries
    let hands: Hands
    let dial: Dial
    const errors: Array<[sessionId: string, error: SessionError]> = []

    beforeAll(async () => {
      home = mkdtempSync(join(tmpdir(), 'steward-packages-'))
      const secretFile = join(home, 'secret.txt')
      writeFileSync(secretFile, 'canary-in-a-file')
      process.env.STEWARD_CANARY = 'canary-in-the-environment'
      const pages = { ...pipPages('steward_hello', ['1.0', '2.0']) }
      registries = await startRegistries(pages)
      Object.assign(
        pages,
        npmPages('steward-greet', { '1.0.0': greet('1.0.0'), '2.0.0': greet('2.0.0') }),
        npmPages('steward-greedy', { '1.0.0': greedy }),
        npmPages('steward-nosy', { '1.0.0': nosy(secretFile, registries.port) }),
      )
      dial = registries.dial
      hands = await createHands({
        home,
        limits: { diskBytes: 64 * MIB },
        surround: createProvisionSession({
          packageCache: createPackageCache({
            ...{ folder: join(home, 'packages'), maxBytes: Infinity, maxIdleMs: Infinity },
          }),
          onError: (...told) => errors.push(told),
          reach: { dial: (...asked) => dial(...asked), upstreamCa: [registries.ca] },
        }),
      })
    })
    afterAll(async () => {
      delete process.env.STEWARD_CANARY
      await hands.close()
      await registries.close()
      rmSync(home, { recursive: true, force: true })
    })

    let calls = 0
    const bash = async (
      id: string,
      packages: Partial<Packages>,
      command: string,
      allowPackageManagers = true,
    ): Promise<string> => {
      const session: HandsSession = {
        id,
        networking: {
          type: 'limited',
          allowedHosts: ['api.test'],
          allowPackageManagers,
          mcpHosts: [],
        },
        packages: { ...NO_PACKAGES, ...packages },
        mounts: [],
        credentials: [],
      }
      calls += 1
      const call = { id: `sevt_${calls}`, name: 'bash', input: { command }, config: {} }
      const { content } = await hands.execute(session, call, new AbortController().signal)
      const [first] = content
      return first?.type === 'text' ? first.text.trim() : ''
    }
    const told = (id: string) =>
      errors.filter(([sessionId]) => sessionId === id).map(([, { message }]) => message)

    const both = { npm: ['steward-greet@1.0.0', 'steward-nosy'], pip: ['steward_hello==1.0'] }
    const useBoth =
      'greet; node -e "require(\'steward-greet\')"; steward_hello; python3 -c "import steward_hello as h; print(h.VERSION)"'
    const used = 'greet 1.0.0\ngreet 1.0.0\nsteward_hello 1.0\n1.0'

    it('are available in the pinned version, for programs and for code', async () => {
      expect(await bash('sesn_1', both, useBoth)).toBe(used)
      expect(told('sesn_1')).toEqual([])
      expect(registries.takeAsked()).toEqual(
        expect.arrayContaining([
          'registry.npmjs.org/steward-greet',
          'registry.npmjs.org/steward-greet/-/steward-greet-1.0.0.tgz',
          'pypi.org/simple/steward-hello/',
          'files.pythonhosted.org/packages/steward_hello-1.0-py3-none-any.whl',
        ]),
      )
      expect(await bash('sesn_1', both, 'touch /opt/packages/npm/mine')).toMatch(/read-only/i)
    })

    it('are downloaded once for all sessions that need the same', async () => {
      expect(await bash('sesn_2', both, useBoth)).toBe(used)
      expect(registries.takeAsked()).toEqual([])
    })

    it('cannot reach more during installation than the session could', async () => {
      const found = await bash(
        'sesn_2',
        both,
        'cat /opt/packages/npm/lib/node_modules/steward-nosy/found.txt',
      )
      for (const way of ['proxy', 'direct', 'metadata', 'files', 'system', 'environment']) {
        expect(found).toContain(`${way}: no`)
      }
      expect(found).not.toContain('canary')
      expect(found).toContain('Seccomp: 2')
      expect(found).toContain('NoNewPrivs: 1')
      expect(found).toMatch(/\b1000$/)
      expect(registries.dialled.filter((target) => target.startsWith('elsewhere'))).toEqual([])
    })

    it('are reported if they do not exist, and the session continues', async () => {
      const missing = { npm: ['steward-nowhere'], pip: ['steward_nowhere'] }
      expect(await bash('sesn_3', missing, 'echo goes on')).toBe('goes on')
      const [npm = '', pip = ''] = told('sesn_3')
      expect(npm).toMatch(/^npm could not install steward-nowhere: .*404/s)
      expect(pip).toMatch(/^pip could not install steward_nowhere: .*No matching distribution/s)
    })

    it('are refused if package managers are not allowed, for the environment and for its shell', async () => {
      const ask =
        'command -v greet; curl -sS https://registry.npmjs.org/steward-greet 2>&1; curl -sS https://pypi.org/simple/ 2>&1'
      registries.takeAsked()
      const said = await bash('sesn_4', both, ask, false)
      expect(said.match(/\b403\b/g)).toHaveLength(2)
      expect(registries.takeAsked()).toEqual([])
      expect(told('sesn_4')).toEqual([
        expect.stringContaining('npm could not install steward-greet@1.0.0, steward-nosy: the env'),
        expect.stringContaining('pip could not install steward_hello==1.0: the environment is lim'),
      ])
      expect(await bash('sesn_1', both, ask)).toContain('dist-tags')
    })

    it('are stopped if they fill the disk', async () => {
      expect(await bash('sesn_5', { npm: ['steward-greedy'] }, 'echo goes on')).toBe('goes on')
      expect(told('sesn_5')).toEqual([
        expect.stringMatching(
          /^npm could not install steward-greedy: it wrote \d+ bytes, more than/,
        ),
      ])
    })

    it('are reported with the reason of the egress if it blocks them, without internal paths', async () => {
      dial = async (host) => {
        throw new StewardError('address_refused', { host, reason: 'it is private' })
      }
      await bash('sesn_6', { npm: ['steward-greet'] }, 'true')
      dial = registries.dial
      const [said = ''] = told('sesn_6')
      expect(said).toMatch(/registry\.npmjs\.org: .*it is private/s)
      expect(said).not.toContain(home)
    })

    it('are installed by a waiting session when the first one is released', async () => {
      const own = join(home, 'waiting')
      const { factory, close } = await openSandboxFactory(own)
      const cache = createPackageCache({
        ...{ folder: join(own, 'packages'), maxBytes: Infinity, maxIdleMs: Infinity },
      })
      const install = (id: string, reached: Dial, more: Partial<InstallOptions>) =>
        installPackages(
          { ...NO_PACKAGES, npm: ['steward-greet@2.0.0'] },
          {
            ...{ sessionId: id, networking: { type: 'unrestricted' }, factory, cache },
            ...{ reach: { dial: reached, upstreamCa: [registries.ca] }, ...more },
          },
        )
      const asked = Promise.withResolvers<void>()
      const released = new AbortController()
      const hang: Dial = () => {
        asked.resolve()
        return new Promise(() => undefined)
      }
      const first = install('sesn_7', hang, { signal: released.signal })
      await asked.promise
      const waiting = Promise.withResolvers<void>()
      const watched: PackageCache = {
        ...cache,
        hold: async (name) => {
          const held = await cache.hold(name)
          setImmediate(waiting.resolve)
          return held
        },
      }
      const second = install('sesn_8', registries.dial, { cache: watched })
      await waiting.promise
      released.abort(new Error('released'))
      await expect(first).rejects.toThrow('released')
      const { failures, binds, release } = await second
      expect(failures).toEqual([])
      expect(binds).toHaveLength(1)
      await release()
      await close()
    })
  },
)
