import { fail, ok, StewardError } from '@steward/contract'
import { describe, expect, it } from 'vitest'
import { ensureSandbox, type InstallPorts } from './install.ts'
import { createUnsandboxed } from './none.ts'

/** A fake package manager, because a real one needs the internet. */
const machine = ({
  commands,
  isRoot = false,
  platform = 'linux',
  fails = [],
  works = true,
  hasTools = true,
}: {
  commands: string[]
  isRoot?: boolean
  platform?: NodeJS.Platform
  /** Command lines that fail the first time. */
  fails?: string[]
  works?: boolean
  /** Whether the programs for the network of hosted sandboxes are there. */
  hasTools?: boolean
}) => {
  const has = new Set([...commands, ...(hasTools ? ['nft', 'ip', 'perl'] : [])])
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

  it.each([
    ['apt-get', 'apt-get install -y --no-install-recommends bubblewrap nftables iproute2 perl'],
    ['dnf', 'dnf install -y bubblewrap nftables iproute perl-interpreter'],
  ])('installs what DNS and TCP need with it, by %s', async (manager, line) => {
    const { ports, ran } = machine({ commands: [manager], isRoot: true, hasTools: false })
    expect((await ensureSandbox(ports)).ok).toBe(true)
    expect(ran).toEqual([line])
  })

  it('keeps a sandbox that works if DNS and TCP cannot be installed', async () => {
    const line = 'apk add nftables iproute2 perl'
    const commands = ['bwrap', 'apk']
    const machines = [
      machine({ commands, isRoot: true, hasTools: false, fails: [line] }),
      machine({ commands, hasTools: false }),
    ]
    for (const { ports, said } of machines) {
      expect((await ensureSandbox(ports)).ok).toBe(true)
      expect(said.join()).toContain(line)
    }
  })

  it('fetches the package lists when the first attempt fails', async () => {
    const { ports, ran } = machine({ commands: ['apt-get'], isRoot: true, fails: [APT] })
    expect((await ensureSandbox(ports)).ok).toBe(true)
    expect(ran).toEqual([APT, 'apt-get update', APT])
  })

  it('uses sudo if it needs no password', async () => {
    const { ports, ran } = machine({ commands: ['dnf', 'sudo'] })
    expect((await ensureSandbox(ports)).ok).toBe(true)
    expect(ran).toEqual(['sudo -n true', 'sudo -n dnf install -y bubblewrap'])
  })

  it('explains what to do without permission', async () => {
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

  it('changes nothing on other systems', async () => {
    const { ports, ran, said } = machine({ commands: [], platform: 'darwin' })
    expect((await ensureSandbox(ports)).ok).toBe(false)
    expect([ran, said]).toEqual([[], []])
  })
})
