import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createCgroupV2 } from './cgroup-v2.ts'
import { DEFAULT_LIMITS } from './limits.ts'

/** Plain files stand in for the kernel's, because the project's test machines have version 1. */
let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'steward-cgroup-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

const lay = async (folder: string, files: Record<string, string>) => {
  await mkdir(join(root, folder), { recursive: true })
  for (const [name, text] of Object.entries(files)) await writeFile(join(root, folder, name), text)
}
const open = (own: string) =>
  createCgroupV2({
    name: 'steward',
    own: new Map([['', own]]),
    mounts: new Map([['', root]]),
    pid: 42,
  })
const read = (path: string) => readFile(join(root, path), 'utf8')

describe('control groups v2', () => {
  it('are limited in CPU, memory and processes', async () => {
    await lay('/', {
      'cgroup.controllers': 'cpu memory pids io',
      'cgroup.subtree_control': 'cpu memory pids',
      'cgroup.procs': '1\n42\n',
    })
    const limiter = await open('/')
    const group = await limiter?.create('sesn_1', DEFAULT_LIMITS)
    expect(limiter?.kind).toBe('cgroup-v2')
    expect(group?.entries).toEqual([join(root, 'steward/sesn_1/cgroup.procs')])
    expect(await read('steward/sesn_1/cpu.max')).toBe('200000 100000')
    expect(await read('steward/sesn_1/memory.max')).toBe(String(DEFAULT_LIMITS.memoryBytes))
    expect(await read('steward/sesn_1/pids.max')).toBe('512')
    expect(await read('steward/cgroup.subtree_control')).toBe('+cpu +memory +pids')
  })

  it('are created in a delegated subtree after moving this process', async () => {
    await lay('/service', {
      'cgroup.controllers': 'cpu memory pids',
      'cgroup.subtree_control': '',
      'cgroup.procs': '42\n',
      'cgroup.type': 'domain',
    })
    expect(await open('/service')).toBeDefined()
    expect(await read('service/steward-server/cgroup.procs')).toBe('42')
    expect(await read('service/cgroup.subtree_control')).toBe('+cpu +memory +pids')
  })

  it('are not created where other processes are, or where a controller is missing', async () => {
    await lay('/shared', {
      'cgroup.controllers': 'cpu memory pids',
      'cgroup.subtree_control': '',
      'cgroup.procs': '42\n43\n',
      'cgroup.type': 'domain',
    })
    expect(await open('/shared')).toBeUndefined()
    await lay('/poor', { 'cgroup.controllers': 'cpu pids', 'cgroup.procs': '42\n' })
    expect(await open('/poor')).toBeUndefined()
    expect(await readdir(join(root, 'shared'))).not.toContain('steward')
  })
})
