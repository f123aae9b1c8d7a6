import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHands } from './create-hands.ts'
import { measureFolder } from './disk/measure.ts'
import type { Hands, HandsSession } from './hands.ts'
import { listAttempts, PRELUDE } from './testing/escape-attempts.ts'
import { createEscapeWorld, type EscapeWorld, plantSetuid } from './testing/escape-world.ts'

/*
 * Fails without bubblewrap, on purpose: the test command installs it if possible, and otherwise its
 * message says how to.
 */
const MIB = 1024 ** 2
const LIMITS = {
  ...{ cpus: 1, memoryBytes: 128 * MIB, processes: 64, openFiles: 512 },
  ...{ diskBytes: 48 * MIB, diskEntries: 4000, fileBytes: 24 * MIB, sharedMemoryBytes: 16 * MIB },
}

let world: EscapeWorld
let hands: Hands
let calls = 0

const session = (id: string): HandsSession => ({
  id,
  networking: {
    type: 'limited',
    allowedHosts: [],
    allowPackageManagers: false,
    mcpHosts: [],
  },
  packages: { apt: [], cargo: [], gem: [], go: [], npm: [], pip: [] },
  mounts: [],
  credentials: [],
})

const use = async (id: string, name: string, input: Record<string, unknown>) => {
  calls += 1
  const call = { id: `sevt_${calls}`, name, input, config: {} }
  const outcome = await hands.execute(session(id), call, new AbortController().signal)
  const text = outcome.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
  return { text, isError: outcome.isError }
}

const bash = (id: string, command: string, more: Record<string, unknown> = {}) =>
  use(id, 'bash', { command, ...more })

const folderOf = (id: string) => join(world.home, 'hosted', 'workspaces', id)

/** Processes on the whole host whose command line holds a text. */
const countProcesses = (text: string): number =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      const file = `/proc/${pid}/cmdline`
      try {
        return existsSync(file) && readFileSync(file, 'utf8').includes(text)
      } catch {
        // The process ended between the two calls.
        return false
      }
    }).length

describe.runIf(process.platform === 'linux')('a session that tries to escape', () => {
  beforeAll(async () => {
    world = await createEscapeWorld()
    hands = await createHands({ home: world.home, limits: LIMITS })
    await bash('sesn_a', PRELUDE)
    await plantSetuid(join(folderOf('sesn_a'), 'workspace'))
  })
  afterAll(async () => {
    await hands?.close()
    await world?.close()
  })

  it('is confined by everything available on this machine', () => {
    expect(hands.describe()).toMatchObject({ driver: 'bubblewrap', isolated: true, seccomp: true })
  })

  it('fails in more than a hundred attempts, each for the expected reason', async () => {
    const attempts = listAttempts(world)
    expect(attempts.length).toBeGreaterThan(100)
    const wrong: string[] = []
    for (const { name, script, because } of attempts) {
      const { text } = await bash('sesn_a', script)
      const said = text.replace(/\n?\[exit code \d+\]$/, '')
      if (said.includes('ESCAPED') || said.includes(world.canary) || !because.test(said)) {
        wrong.push(`${name}: ${text}`)
      }
    }
    expect(wrong).toEqual([])
    expect(world.isVictimAlive()).toBe(true)
  })

  it('cannot escape through the file tools', async () => {
    const { secretFile, otherFile, hostFolder } = world
    const dots = `../../../../../../../..${secretFile}`
    await bash('sesn_files', `ln -s ${secretFile} link; ln -s ${hostFolder} folder; mkfifo fifo`)
    const attempts: Array<[string, Record<string, unknown>, RegExp]> = [
      ['read', { file_path: secretFile }, /there is no file/],
      ['read', { file_path: dots }, /there is no file/],
      ['read', { file_path: 'link' }, /there is no file/],
      ['read', { file_path: 'folder/secret.txt' }, /there is no file/],
      ['read', { file_path: otherFile }, /there is no file/],
      ['read', { file_path: 'fifo' }, /not a regular file/],
      ['read', { file_path: '/proc/1/root/etc/shadow' }, /there is no file/],
      ['read', { file_path: '$(cat /etc/passwd)`id`' }, /there is no file/],
      ['read', { file_path: '--help' }, /there is no file/],
      ['write', { file_path: '/usr/bin/id', content: '' }, /Read-only/],
      ['write', { file_path: '../etc/passwd', content: '' }, /Read-only|Permission/],
      ['write', { file_path: '/proc/sysrq-trigger', content: 'h' }, /No such file|Permission/],
      ['edit', { file_path: dots, old_string: 'c', new_string: 'x' }, /there is no file/],
      ['edit', { file_path: 'link', old_string: 'c', new_string: 'x' }, /there is no file/],
      ['glob', { pattern: '../*' }, /not allowed/],
      ['glob', { pattern: '/etc/*' }, /not allowed/],
      ['glob', { pattern: '*', path: hostFolder }, /there is no folder/],
      ['glob', { pattern: '**', path: 'folder' }, /there is no folder/],
      ['grep', { pattern: 'canary', path: secretFile }, /there is no/],
      ['grep', { pattern: 'canary', path: 'folder' }, /there is no/],
      ['grep', { pattern: 'canary' }, /no matches/],
    ]
    const outcomes = await Promise.all(
      attempts.map(([name, input]) => use('sesn_files', name, input)),
    )
    outcomes.forEach(({ text }, index) => {
      expect(text).toMatch(attempts[index]?.[2] ?? /never/)
      expect(text).not.toContain(world.canary)
    })
    // Writing through a link that points outside creates the file inside the sandbox, never on the
    // host.
    await use('sesn_files', 'write', { file_path: 'link', content: 'overwritten' })
    expect(readFileSync(secretFile, 'utf8')).toBe(world.canary)
  })

  it('wins no race with links that change while they are followed', async () => {
    const swap = `mkdir a; echo mine > a/secret.txt; while :; do ln -sfn ${world.hostFolder} r; ln -sfn a r; done`
    await bash('sesn_race', `(${swap}) >/dev/null 2>&1 &`)
    const seen: string[] = []
    for (let round = 0; round < 6; round += 1) {
      const [read] = await Promise.all([
        use('sesn_race', 'read', { file_path: 'r/secret.txt' }),
        use('sesn_race', 'write', { file_path: 'r/planted.txt', content: 'x' }),
      ])
      seen.push(read.text)
    }
    // Either its own file or a refusal, also for a file that vanished between two looks.
    for (const text of seen) {
      expect(text).toMatch(/^mine\n$|there is no file|No such file|is not a regular file$/)
      expect(text).not.toContain(world.canary)
    }
    expect(readdirSync(world.hostFolder).toSorted()).toEqual(['host.sock', 'secret.txt'])
  })

  // Writers pause, so that the speed of the disk does not decide how much they write between two checks.
  it('cannot exceed its limits', async () => {
    const floods = await Promise.all([
      bash('sesn_forks', 'f() { f | f & }; f; sleep 1; for i in $(seq 200); do sleep 5 & done', {
        timeout_ms: 2500,
      }),
      bash(
        'sesn_memory',
        `perl -e '$x = "a" x (400 * 1024 * 1024); print "ESC", "APED"'; echo after`,
      ),
      bash('sesn_memory2', 'dd if=/dev/zero of=/dev/shm/x bs=1M count=100; ls -s /dev/shm/x'),
      bash(
        'sesn_disk',
        'for i in $(seq 100); do head -c 10M /dev/zero > f$i || break; sleep 0.05; done; sleep 5; echo ESC""APED',
      ),
      bash(
        'sesn_file',
        'trap "" XFSZ; head -c 100M /dev/zero > big; truncate -s 1T sparse; head -c 60M /dev/zero | gzip -1 | gunzip > bomb; ls -s big bomb',
      ),
      bash(
        'sesn_inodes',
        `perl -e 'for (1 .. 200000) { open F, ">", "n$_" or die $!; close F; select undef, undef, undef, 0.01 unless $_ % 100 } print "ESC", "APED"; sleep 5'`,
      ),
      bash('sesn_output', 'yes'),
      bash('sesn_zeros', 'cat /dev/zero'),
    ])
    const [forks, memory, shared, disk, file, inodes, output, zeros] = floods
    expect(forks?.text).toMatch(/Resource temporarily unavailable|timed out/)
    expect(memory?.text).toMatch(/Killed|Out of memory/)
    expect(memory?.text).toContain('after')
    expect(shared?.text).toMatch(/No space left/)
    expect(disk?.text).toMatch(/exceed their limit/)
    expect(file?.text).toMatch(/File too large/)
    expect(file?.text).not.toMatch(/^\d{6,} (big|bomb)$/m)
    expect(inodes?.text).toMatch(/exceed their limit/)
    expect(output?.text).toMatch(/ended after more than/)
    expect(zeros?.text).toMatch(/ended after more than/)
    for (const { text } of floods) expect(text).not.toContain('ESCAPED')

    // Far below the 1 GB it tried to write; the watcher checks ten times per second.
    expect((await measureFolder(folderOf('sesn_disk'))).bytes).toBeLessThan(600 * MIB)
    expect((await measureFolder(folderOf('sesn_inodes'))).entries).toBeLessThan(100_000)
    // Eight floods at once can slow the machine down; the test does not limit their duration.
  }, 120_000)

  it('can continue after each of these', async () => {
    const full = await bash('sesn_disk', 'echo more > g')
    expect(full.text).toMatch(/exceed their limit/)
    await bash('sesn_disk', 'rm -f f*')
    expect(await bash('sesn_disk', 'echo more > g && cat g')).toEqual({
      text: 'more',
      isError: false,
    })
    const others = ['sesn_forks', 'sesn_memory', 'sesn_output', 'sesn_a']
    const answers = await Promise.all(others.map((id) => bash(id, 'echo here')))
    expect(answers.map(({ text }) => text)).toEqual(others.map(() => 'here'))
  })

  it('leaves nothing running after a timeout, whatever it tries', async () => {
    const stubborn = `trap '' TERM INT HUP; perl -e '$SIG{TERM} = "IGNORE"; sleep 77701' & setsid nohup sleep 77702 & (setsid sh -c 'sleep 77703 & sleep 77704' &); disown -a; sleep 77705`
    const { text } = await bash('sesn_stubborn', stubborn, { timeout_ms: 700 })
    expect(text).toMatch(/timed out after 700 ms/)
    expect(countProcesses('7770')).toBe(0)
    expect((await bash('sesn_stubborn', 'ps ax | grep -c "[7]770"')).text).toMatch(/^0/)
  })

  it('ends with its session, and its files only then', async () => {
    await bash('sesn_gone', 'setsid nohup sleep 88801 >/dev/null 2>&1 & echo kept > kept.txt')
    await bash(
      'sesn_gone',
      `perl -e '$d = "d" x 200; mkdir($d), chdir($d) for 1 .. 30; chmod 0, "."'`,
    )
    // The shell answers before its background process has started the program.
    await expect.poll(() => countProcesses('88801')).toBe(1)
    await hands.release('sesn_gone', 'keep')
    expect(countProcesses('88801')).toBe(0)
    expect((await bash('sesn_gone', 'cat kept.txt')).text).toBe('kept')
    await hands.release('sesn_gone', 'delete')
    expect(existsSync(folderOf('sesn_gone'))).toBe(false)
  })

  it('kills only itself when it kills everything it can', async () => {
    const { text } = await bash('sesn_suicide', 'kill -9 -1; echo unreachable; kill -9 $$')
    expect(text).toMatch(/shell ended with code 137/)
    expect((await bash('sesn_suicide', 'echo again')).text).toBe('again')
    expect(world.isVictimAlive()).toBe(true)
  })

  it('leaves the server and other sessions unchanged', async () => {
    expect(await world.answers()).toBe(true)
    expect((await bash('sesn_second', 'echo well')).text).toBe('well')
    expect(readFileSync(world.otherFile, 'utf8')).toBe(world.canary)
    expect(existsSync('/usr/bin/steward-escape')).toBe(false)
    await hands.close()
    const groups = execFileSync('find', [
      '/sys/fs/cgroup',
      '-name',
      `steward-hosted-${process.pid}-*`,
    ])
    expect(groups.toString()).toBe('')
    expect(readdirSync(join(world.home, 'hosted', 'running'))).toEqual([])
  })
})
