import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS } from '../limits/limits.ts'
import { type Running, recordRunning } from '../running.ts'
import type { SandboxSpec } from '../sandbox.ts'
import { describeContainer, describeExec } from './arguments.ts'
import { openContainer } from './open-container.ts'

let home: string
let running: Running
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'steward-container-'))
  running = recordRunning(home)
})
afterEach(async () => {
  running.close()
  await rm(home, { recursive: true, force: true })
})

const spec = (): SandboxSpec => ({
  sessionId: 'sesn_1',
  workspace: join(home, 'ws'),
  binds: [{ host: '/data,a"b', inside: '/mnt/data', mode: 'ro' }],
  env: { GIVEN: 'x' },
  network: 'none',
  sockets: [{ host: '/run/proxy.sock', inside: '/run/egress.sock' }],
  companions: [],
})
const options = { name: 'steward-1', label: 'l=1', image: 'debian', user: '1000:1000' }

describe('a container', () => {
  const args = (more: Partial<SandboxSpec> = {}, runtime?: 'runsc') =>
    describeContainer({ ...spec(), ...more }, DEFAULT_LIMITS, { ...options, runtime })

  it('has no privileges, no network and limits', () => {
    const text = args().join(' ')
    for (const part of [
      '--network none',
      '--cap-drop ALL',
      '--security-opt no-new-privileges',
      '--read-only',
      '--user 1000:1000',
      '--pids-limit 512',
      `--memory ${DEFAULT_LIMITS.memoryBytes} --memory-swap ${DEFAULT_LIMITS.memoryBytes}`,
      '--pull never',
    ]) {
      expect(text).toContain(part)
    }
    expect(text).not.toContain('--privileged')
  })

  it('mounts any path, whatever characters it has', () => {
    expect(args()).toContain('type=bind,"source=/data,a""b","target=/mnt/data",readonly')
    expect(args()).toContain('type=bind,"source=/run/proxy.sock","target=/run/egress.sock"')
    expect(args().join(' ')).not.toContain('docker.sock')
  })

  it('uses the runtime of gVisor only when asked to', () => {
    expect(args({}, 'runsc').join(' ')).toContain('--runtime runsc')
    expect(args()).not.toContain('--runtime')
  })

  it('never has the network of the host', () => {
    expect(args({ network: 'shared' }).join(' ')).toContain('--network bridge')
  })

  it('runs programs with only the environment of the session', () => {
    const text = describeExec('steward-1', spec(), {}, ['/bin/true'])
    expect(text.slice(-2)).toEqual(['steward-1', '/bin/true'])
    expect(text).toContain('GIVEN=x')
    expect(text.filter((word) => word === '--env')).toHaveLength(6)
  })
})

describe('opening Docker', () => {
  const ask = (answers: Record<string, string>) => {
    const asked: string[] = []
    return {
      asked,
      ask: async (args: readonly string[]) => {
        const text = args.join(' ')
        asked.push(text)
        const found = Object.entries(answers).find(([start]) => text.startsWith(start))
        if (found === undefined) throw new Error('no')
        return found[1]
      },
    }
  }
  const open = (answers: Record<string, string>, kind: 'docker' | 'gvisor' = 'docker') => {
    const docker = ask(answers)
    const opened = openContainer({ kind, running, image: 'debian', ask: docker.ask })
    return { opened, asked: docker.asked }
  }
  const present = {
    'info --format {{json': '{"runc":{}}',
    'info --format {{.Cg': '1\n',
    image: 'sha256:1',
    ps: '',
    rm: '',
  }

  it('reports what is missing', async () => {
    expect(await open({}).opened).toMatchObject({
      error: { message: expect.stringMatching(/the Docker daemon does not respond/) },
    })
    expect(await open(present, 'gvisor').opened).toMatchObject({
      error: { message: expect.stringMatching(/runsc install/) },
    })
    expect(await open({ ...present, image: '' }).opened).toMatchObject({ ok: true })
    const { image: _, ...withoutImage } = present
    expect(await open(withoutImage).opened).toMatchObject({
      error: { message: expect.stringMatching(/docker pull/) },
    })
  })

  it('reports its kind and removes leftovers of crashed servers', async () => {
    const { opened, asked } = open({
      ...present,
      ps: `steward-999999999-5-1-1\nsteward-${running.name}-1\n`,
    })
    expect(await opened).toMatchObject({
      value: { report: { driver: 'docker', isolated: true, limits: 'cgroup-v1' } },
    })
    expect(asked.filter((text) => text.startsWith('rm'))).toEqual([
      'rm --force --volumes steward-999999999-5-1-1',
    ])
  })
})
