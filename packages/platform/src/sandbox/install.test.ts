import { fail, ok, StewardError } from '@steward/contract'
import { describe, expect, it } from 'vitest'
import { ensureSandbox, type InstallPorts } from './install.ts'
import { createUnsandboxed } from './none.ts'

/** A stand-in for a package manager, which needs the internet. */
const machine = ({
  commands,
  isRoot = false,
  platform = 'linux',
  fails = [],
  works = true,
}: {
  commands: string[]
  isRoot?: boolean
  platform?: NodeJS.Platform
  /** Command lines that fail the first time. */
  fails?: string[]
  works?: boolean
}) => {
  const has = new Set(commands)
  const failing = [...fails]
  const ran: string[] = []
  const said: string[] = []
  const ports: InstallPorts = {
    platform,
    isRoot,
    hasCommand: (name) => has.has(name),
    run: (argv) => {
      const line = argv.join(' ')
      ran.push(line)
      const at = failing.indexOf(line)
      if (at !== -1) {
        failing.splice(at, 1)
        return false
      }
      if (line.includes('bubblewrap')) has.add('bwrap')
      return true
    },
    say: (line) => said.push(line),
    detect: async () =>
      has.has('bwrap') && works
        ? ok(createUnsandboxed())
        : fail(new StewardError('sandbox_unavailable', { reason: 'not working' })),
  }
  return { ports, ran, said }
}

const APT = 'apt-get install -y --no-install-recommends bubblewrap'

describe('ensureSandbox', () => {
  it('does nothing if one is installed', async () => {
    const { ports, ran, said } = machine({ commands: ['bwrap', 'apt-get'], isRoot: true })
    expect((await ensureSandbox(ports)).ok).toBe(true)
    expect([ran, said]).toEqual([[], []])
  })

  it.each([
    ['apt-get', APT],
    ['dnf', 'dnf install -y bubblewrap'],
    ['pacman', 'pacman -S --noconfirm --needed bubblewrap'],
    ['apk', 'apk add bubblewrap'],
    ['zypper', 'zypper --non-interactive install bubblewrap'],
  ])('installs it with %s', async (manager, line) => {
    const { ports, ran, said } = machine({ commands: [manager], isRoot: true })
    expect((await ensureSandbox(ports)).ok).toBe(true)
    expect(ran).toEqual([line])
    expect(said[0]).toContain(manager)
  })

  it('fetches the package lists when the first attempt fails', async () => {
    const { ports, ran } = machine({ commands: ['apt-get'], isRoot: true, fails: [APT] })
    expect((await ensureSandbox(ports)).ok).toBe(true)
    expect(ran).toEqual([APT, 'apt-get update', APT])
  })

  it('uses sudo where it asks for no password', async () => {
    const { ports, ran } = machine({ commands: ['dnf', 'sudo'] })
    expect((await ensureSandbox(ports)).ok).toBe(true)
    expect(ran).toEqual(['sudo -n true', 'sudo -n dnf install -y bubblewrap'])
  })

  it('says what to do without permission', async () => {
    for (const setup of [
      { commands: ['apt-get'] },
      { commands: ['apt-get', 'sudo'], fails: ['sudo -n true'] },
    ]) {
      const { ports, ran, said } = machine(setup)
      expect((await ensureSandbox(ports)).ok).toBe(false)
      expect(ran.join()).not.toContain('bubblewrap')
      expect(said.join()).toContain(`sudo ${APT}`)
    }
  })

  it('reports a failed installation, a missing package manager, and a sandbox that still fails', async () => {
    const failing = machine({ commands: ['apk'], isRoot: true, fails: ['apk add bubblewrap'] })
    expect((await ensureSandbox(failing.ports)).ok).toBe(false)
    expect(failing.said.join()).toContain('failed')

    const bare = machine({ commands: [], isRoot: true })
    expect((await ensureSandbox(bare.ports)).ok).toBe(false)
    expect(bare.said.join()).toContain('package manager')

    const broken = machine({ commands: ['bwrap', 'apk'], isRoot: true, works: false })
    expect((await ensureSandbox(broken.ports)).ok).toBe(false)
    expect([broken.ran, broken.said.join()]).toEqual([[], expect.stringContaining('not working')])
  })

  it('leaves other systems alone', async () => {
    const { ports, ran, said } = machine({ commands: [], platform: 'darwin' })
    expect((await ensureSandbox(ports)).ok).toBe(false)
    expect([ran, said]).toEqual([[], []])
  })
})
