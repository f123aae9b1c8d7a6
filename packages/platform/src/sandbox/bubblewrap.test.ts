import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { homedir, tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createBubblewrap } from './bubblewrap.ts'
import { findCommand } from './find-command.ts'
import { createUnsandboxed } from './none.ts'
import type { Sandbox, SandboxRun } from './sandbox.ts'

const PATH = '/usr/local/bin:/usr/bin:/bin'
const bwrap = findCommand('bwrap', PATH)
const onLinux = describe.runIf(process.platform === 'linux')

let folder: string
let work: string
beforeEach(async () => {
  folder = await mkdtemp(join(homedir(), '.steward-sandbox-test-'))
  work = await mkdtemp(join(tmpdir(), 'steward-work-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
  await rm(work, { recursive: true, force: true })
})

const sandbox = (path = PATH): Sandbox => {
  // Never skipped: the test command installs bubblewrap if it can, and otherwise says how.
  if (!bwrap.ok) throw bwrap.error
  return createBubblewrap({ bwrap: bwrap.value, path })
}

const options = (more: Partial<SandboxRun> = {}): SandboxRun => ({
  cwd: work,
  env: { PATH },
  timeoutMs: 60_000,
  network: false,
  maxOutputBytes: 100_000,
  ...more,
})

const sh = (script: string, more: Partial<SandboxRun> = {}, path?: string) =>
  sandbox(path).run(['/bin/sh', '-c', script], options(more))

onLinux('bubblewrap', () => {
  it('runs a command with its input, output and exit code', async () => {
    expect(await sh('cat; echo err >&2; exit 7', { stdin: 'héllo' })).toMatchObject({
      stdout: 'héllo',
      stderr: 'err\n',
      code: 7,
      timedOut: false,
      truncated: false,
    })
  })

  it('can write to its folder and to /tmp, and nowhere else', async () => {
    const script =
      'echo mine > made.txt; echo x > /tmp/y && echo tmp; for d in / /usr /etc /dev /proc; do (echo x > $d/steward-test) 2>/dev/null && echo "wrote $d"; done; pwd'
    const { stdout } = await sh(script)
    expect(stdout).toBe(`tmp\n${work}\n`)
    expect(await readFile(join(work, 'made.txt'), 'utf8')).toBe('mine\n')
    expect(execFileSync('ls', ['/'], { encoding: 'utf8' })).not.toContain('steward-test')
  })

  it('sees nothing of the home, other temporary files, system secrets or other processes', async () => {
    await writeFile(join(folder, 'secret'), 'secret')
    const script = `cat ${folder}/secret /etc/shadow; ls ${homedir()} /home /root /var /run; [ $(ls -d /proc/[0-9]* | wc -l) -lt 10 ] && echo alone; ls -A /tmp`
    const { stdout } = await sh(script)
    expect(stdout).not.toContain('secret')
    expect(stdout.split('\n').filter((line) => line.startsWith('steward-'))).toEqual([
      basename(work),
    ])
    expect(stdout).toContain('alone\n')
  })

  it('has no environment but the given one', async () => {
    process.env.STEWARD_TEST_SECRET = 'leak'
    try {
      const { stdout } = await sh('env', { env: { PATH, GIVEN: '1' } })
      const names = stdout
        .trim()
        .split('\n')
        .map((line) => line.split('=')[0])
      expect(names.toSorted()).toEqual(['GIVEN', 'HOME', 'PATH', 'PWD', 'TMPDIR'])
    } finally {
      delete process.env.STEWARD_TEST_SECRET
    }
  })

  it('has no root privileges, whoever runs it', async () => {
    const { stdout } = await sh('grep -E "^Cap(Eff|Prm|Bnd)" /proc/self/status | cut -f2 | sort -u')
    expect(stdout).toBe('0000000000000000\n')
  })

  it('has a network only when asked for', async () => {
    const server = createServer((_, response) => response.end('reached'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    const code = `fetch('http://127.0.0.1:${port}').then((r) => r.text()).then(console.log, () => console.log('none'))`
    const run = (network: boolean) =>
      sandbox().run([process.execPath, '-e', code], options({ network }))
    try {
      expect((await run(false)).stdout).toBe('none\n')
      expect((await run(true)).stdout).toBe('reached\n')
    } finally {
      server.close()
    }
  })

  it('is held to limits', async () => {
    const { stdout } = await sh('ulimit -c; ulimit -n; ulimit -u 2>/dev/null || true')
    expect(stdout).toMatch(/^0\n4096\n/)
  })

  it('runs programs installed in the home, with their files', async () => {
    const environment = join(folder, 'share', 'venv')
    const bin = join(folder, 'bin')
    await mkdir(join(environment, 'bin'), { recursive: true })
    await mkdir(join(environment, 'lib'), { recursive: true })
    await mkdir(bin)
    await writeFile(join(environment, 'pyvenv.cfg'), '')
    await writeFile(join(environment, 'lib', 'data.txt'), 'from the environment')
    await writeFile(join(folder, 'private.txt'), 'private')
    const interpreter = join(folder, 'interpreter')
    await mkdir(interpreter)
    await symlink('/bin/sh', join(interpreter, 'mysh'))
    const tool = join(environment, 'bin', 'tool')
    await writeFile(
      tool,
      `#!/usr/bin/env mysh\ncat ${environment}/lib/data.txt; cat ${folder}/private.txt; echo " $1"`,
    )
    await chmod(tool, 0o755)
    await symlink(tool, join(bin, 'tool'))
    const path = `${bin}:${interpreter}:${PATH}`
    const outcome = await sandbox(path).run(
      [join(bin, 'tool'), 'arg'],
      options({ env: { PATH: path } }),
    )
    expect(outcome).toMatchObject({ stdout: 'from the environment arg\n', code: 0 })
    expect(outcome.stderr).toContain('No such file')
  })

  it('shows only the file of a command that lies in the home itself', async () => {
    const tool = join(folder, 'tool')
    await writeFile(tool, `#!/bin/sh\nls ${folder}`)
    await chmod(tool, 0o755)
    await writeFile(join(folder, 'private.txt'), 'private')
    if (!bwrap.ok) throw bwrap.error
    const inHome = createBubblewrap({ bwrap: bwrap.value, path: PATH, home: folder })
    expect((await inHome.run([tool], options())).stdout).toBe('tool\n')
  })

  it('shows additional files read-only', async () => {
    await writeFile(join(folder, 'data.txt'), 'data')
    const outcome = await sh(`cat ${folder}/data.txt; echo x > ${folder}/data.txt`, {
      readOnlyPaths: [folder],
    })
    expect(outcome.stdout).toBe('data')
    expect(outcome.stderr).toContain('Read-only')
  })

  it('distinguishes its own failure from that of a command', async () => {
    await expect(sh('true', { readOnlyPaths: ['/not/there'] })).rejects.toMatchObject({
      code: 'sandbox_unavailable',
      message: expect.stringContaining('/not/there'),
    })
    expect((await sh('echo "bwrap: no" >&2; exit 1')).code).toBe(1)
    expect((await sh('kill -9 $$')).code).toBe(137)
  })
})

/**
 * Bubblewrap in its initial state: the command runs in its own session and is not bound to it yet.
 */
const KILLED_EARLY = `#!/bin/sh
while [ "$1" != -- ]; do shift; done
shift
setsid "$@" &
printf '{ "child-pid": %d, "more": 1 }\\n' $! >&3
exec 3>&-
wait $!
`

describe.each([
  ['bubblewrap', (path: string): Sandbox => sandbox(path)],
  ['none', (): Sandbox => createUnsandboxed()],
] as const)('ending a command (%s)', (name, create) => {
  const start = (more: Partial<SandboxRun>) => {
    // The pipe's reader sees the end only when every possible writer has exited.
    execFileSync('mkfifo', [join(work, 'pipe')])
    const pipe = createReadStream(join(work, 'pipe'))
    const script =
      'exec 9> pipe; sleep 1000 & (sleep 1000 & sleep 1000) & echo ready >&9; sleep 1000'
    const outcome = create(PATH).run(['/bin/sh', '-c', script], options(more))
    return { outcome, ready: once(pipe, 'data'), gone: once(pipe, 'end') }
  }
  const here = it.runIf(name === 'none' || process.platform === 'linux')

  here('kills everything it started when the run is stopped', async () => {
    const stop = new AbortController()
    const { outcome, ready, gone } = start({ signal: stop.signal })
    const stopped = expect(outcome).rejects.toThrow('stopped')
    await ready
    stop.abort(new Error('stopped'))
    await stopped
    await gone
  })

  here('kills what it left behind when it ended', async () => {
    execFileSync('mkfifo', [join(work, 'pipe')])
    const pipe = createReadStream(join(work, 'pipe'))
    const gone = once(pipe.resume(), 'end')
    const script = 'exec 9> pipe; sleep 1000 & echo done'
    const outcome = await create(PATH).run(['/bin/sh', '-c', script], options())
    expect(outcome).toMatchObject({ stdout: 'done\n', code: 0 })
    await gone
  })

  here('does not start when already stopped', async () => {
    const signal = AbortSignal.abort(new Error('stopped'))
    await expect(create(PATH).run(['/bin/true'], options({ signal }))).rejects.toThrow('stopped')
  })

  here('answers 124 when its time is up', async () => {
    execFileSync('mkfifo', [join(work, 'pipe')])
    const pipe = createReadStream(join(work, 'pipe'))
    const gone = once(pipe, 'end')
    let elapse: () => void = () => expect.unreachable('no timer was started')
    const startTimer = (_: number, onElapsed: () => void) => {
      elapse = onElapsed
      return () => undefined
    }
    if (!bwrap.ok) throw bwrap.error
    const timed =
      name === 'none'
        ? createUnsandboxed({ startTimer })
        : createBubblewrap({ bwrap: bwrap.value, path: PATH, startTimer })
    const script = 'echo before; exec 9> pipe; echo ready >&9; sleep 1000'
    const outcome = timed.run(['/bin/sh', '-c', script], options())
    await once(pipe, 'data')
    elapse()
    expect(await outcome).toMatchObject({ code: 124, timedOut: true, stdout: 'before\n' })
    await gone
  })

  it.runIf(name === 'bubblewrap')(
    'kills a process that its sandbox has not bound yet',
    async () => {
      const early = join(folder, 'bwrap')
      await writeFile(early, KILLED_EARLY, { mode: 0o755 })
      execFileSync('mkfifo', [join(work, 'pipe')])
      const pipe = createReadStream(join(work, 'pipe'))
      const gone = once(pipe, 'end')
      const stop = new AbortController()
      const script = 'exec 9> pipe; echo ready >&9; exec sleep 1000'
      const outcome = createBubblewrap({ bwrap: early, path: PATH }).run(
        ['/bin/sh', '-c', script],
        options({ signal: stop.signal }),
      )
      const stopped = expect(outcome).rejects.toThrow('stopped')
      await once(pipe, 'data')
      stop.abort(new Error('stopped'))
      await stopped
      await gone
    },
  )

  here('cuts endless output and says so', async () => {
    const script = 'head -c 1000000 /dev/zero | tr "\\0" x; echo end >&2'
    const outcome = await create(PATH).run(
      ['/bin/sh', '-c', script],
      options({ maxOutputBytes: 1000 }),
    )
    expect(outcome).toMatchObject({ truncated: true, stderr: 'end\n', code: 0 })
    expect(outcome.stdout).toHaveLength(1000)
  })

  here('does not mind a command that reads none of its input', async () => {
    const outcome = await create(PATH).run(['/bin/true'], options({ stdin: 'x'.repeat(1_000_000) }))
    expect(outcome.code).toBe(0)
  })
})
