import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { NO_PACKAGES, type SessionError } from '@steward/contract'
import { DEFAULT_PATH, findCommand } from '@steward/platform'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHands } from '../create-hands.ts'
import type { Hands, Packages } from '../hands.ts'
import { createProvisionSession } from '../mounts/provision-session.ts'
import { findToolchain } from './find-toolchain.ts'
import type { Installer } from './installers.ts'
import { createPackageCache } from './package-cache.ts'
import { runInstaller } from './run-installer.ts'
import { cratePages, gemPages, modulePages } from './testing/compiled-packages.ts'
import { openSandboxFactory } from './testing/open-sandbox-factory.ts'
import { type StandInRegistries, startRegistries } from './testing/stand-in-registries.ts'

/** Real compilers on possibly busy machines. */
const SLOW = { timeout: 180_000 }

const execute = promisify(execFile)

/**
 * Whether a program runs where a sandbox would find it; an installed one may lack its toolchain.
 */
const works = async (command: string, ...args: string[]): Promise<boolean> => {
  const { path } = await findToolchain(command)
  const found = findCommand(command, [...path, DEFAULT_PATH].join(':'))
  if (!found.ok) return false
  return execute(found.value, args).then(
    () => true,
    () => false,
  )
}

/** cargo links with the system's C compiler. */
const hasCargo = (await works('cargo', '--version')) && (await works('cc', '--version'))
const hasGo = await works('go', 'version')
const hasGem = (await works('gem', '--version')) && findCommand('gem', DEFAULT_PATH).ok

describe.runIf(process.platform === 'linux')('compiled packages and gems', SLOW, () => {
  let home = ''
  let registries: StandInRegistries
  let hands: Hands
  const told: string[] = []

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'steward-compiled-'))
    registries = await startRegistries({
      ...cratePages('steward-crate', '1.2.3'),
      ...modulePages('modules.test', 'steward.test/module', 'v1.2.3'),
      ...(hasGem ? gemPages(join(home, 'gem'), 'steward_gem', '1.2.3') : {}),
    })
    hands = await createHands({
      home,
      surround: createProvisionSession({
        packageCache: createPackageCache({
          ...{ folder: join(home, 'packages'), maxBytes: Infinity, maxIdleMs: Infinity },
        }),
        // Checksums of public modules are signed with a key that the stand-in does not have.
        registries: { go: 'https://modules.test/' },
        onError: (_, error: SessionError) => told.push(error.message),
        reach: { dial: registries.dial, upstreamCa: [registries.ca] },
      }),
    })
  }, SLOW.timeout)
  afterAll(async () => {
    await hands.close()
    await registries.close()
    rmSync(home, { recursive: true, force: true })
  })

  const bash = async (packages: Partial<Packages>, command: string): Promise<string> => {
    const [id = ''] = Object.keys(packages)
    const session = {
      ...{ id, packages: { ...NO_PACKAGES, ...packages }, mounts: [], credentials: [] },
      networking: { type: 'limited', allowedHosts: [], allowPackageManagers: true, mcpHosts: [] },
    } as const
    const call = { id: `sevt_${id}`, name: 'bash', input: { command }, config: {} }
    const { content } = await hands.execute(session, call, new AbortController().signal)
    const [first] = content
    return [...told.splice(0), first?.type === 'text' ? first.text.trim() : ''].join('\n')
  }

  it.runIf(hasCargo)('cargo compiles one, also if Rust is installed in the home', async () => {
    expect(await bash({ cargo: ['steward-crate@1.2.3'] }, 'steward-crate')).toBe(
      'steward-crate 1.2.3',
    )
  })

  it.runIf(hasGo)('go compiles the latest, from a private registry', async () => {
    const said = await bash({ go: ['steward.test/module'] }, 'module; echo $GOPROXY')
    expect(said).toBe('steward.test/module v1.2.3\nhttps://modules.test/')
  })

  it.runIf(hasGem)('gem installs one in its version', async () => {
    const use = `steward_gem; ruby -e 'require "steward_gem"; puts STEWARD_GEM'`
    expect(await bash({ gem: ['steward_gem:1.2.3'] }, use)).toBe('steward_gem 1.2.3\n1.2.3')
  })
})

describe.runIf(process.platform === 'linux')('a program that is missing', SLOW, () => {
  it('is reported, with what to install', async () => {
    const home = mkdtempSync(join(tmpdir(), 'steward-missing-'))
    const { factory, close } = await openSandboxFactory(home)
    try {
      const missing: Installer = {
        ...{ manager: 'gem', command: 'steward-no-such-gem', remedy: 'install Ruby' },
        ...{ args: () => [], env: () => ({}) },
      }
      const work = join(home, 'work')
      mkdirSync(work)
      const reason = await runInstaller(
        missing,
        ['rake'],
        { work, target: join(work, 'made') },
        {
          sessionId: 'sesn_1',
          networking: { type: 'unrestricted' },
          factory,
        },
      )
      expect(reason).toBe(
        'steward-no-such-gem is not available to sandboxes on this machine; install Ruby',
      )
    } finally {
      await close()
      rmSync(home, { recursive: true, force: true })
    }
  })
})
