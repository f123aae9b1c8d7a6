import { expect, test } from 'vitest'
import { ensureProgram, type InstallPorts } from './ensure-program.ts'

const machine = (given: {
  commands: string[]
  isRoot?: boolean
  platform?: NodeJS.Platform
  works?: (command: string) => boolean
}) => {
  const commands = new Set(given.commands)
  const ran: string[] = []
  const said: string[] = []
  const ports: InstallPorts = {
    platform: given.platform ?? 'linux',
    isRoot: given.isRoot ?? true,
    hasCommand: (name) => commands.has(name),
    run: (argv) => {
      const command = argv.join(' ')
      ran.push(command)
      const works = given.works?.(command) ?? true
      if (works && command.includes('espeak-ng')) commands.add('espeak-ng')
      return works
    },
    say: (line) => {
      said.push(line)
    },
  }
  return { ports, ran, said }
}
const INSTALL = 'apt-get install -y --no-install-recommends espeak-ng'

test('does nothing if installed, nor on macOS, which has its own voice', () => {
  const there = machine({ commands: ['espeak-ng', 'apt-get'] })
  expect(ensureProgram('espeak-ng', there.ports)).toBe(true)
  const mac = machine({ commands: ['apt-get'], platform: 'darwin' })
  expect(ensureProgram('espeak-ng', mac.ports)).toBe(false)
  expect([there.ran, mac.ran]).toEqual([[], []])
})

test('as root, or with passwordless sudo', () => {
  const root = machine({ commands: ['apt-get'] })
  expect(ensureProgram('espeak-ng', root.ports)).toBe(true)
  expect(root.ran).toEqual([INSTALL])
  const person = machine({ commands: ['apt-get', 'sudo'], isRoot: false })
  expect(ensureProgram('espeak-ng', person.ports)).toBe(true)
  expect(person.ran).toEqual(['sudo -n true', `sudo -n ${INSTALL}`])
})

test('asks for package lists when they are missing', () => {
  let lists = false
  const fresh = machine({
    commands: ['apt-get'],
    works: (command) => {
      if (command === 'apt-get update') lists = true
      return lists
    },
  })
  expect(ensureProgram('espeak-ng', fresh.ports)).toBe(true)
  expect(fresh.ran).toEqual([INSTALL, 'apt-get update', INSTALL])
})

test('reports when it may not or cannot', () => {
  const locked = machine({ commands: ['apt-get', 'sudo'], isRoot: false, works: () => false })
  expect(ensureProgram('espeak-ng', locked.ports)).toBe(false)
  expect(locked.ran).toEqual(['sudo -n true'])
  const broken = machine({ commands: ['dnf'], works: () => false })
  expect(ensureProgram('espeak-ng', broken.ports)).toBe(false)
  expect(broken.said.at(-1)).toContain('failed')
})
