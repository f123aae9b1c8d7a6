import { chmod, copyFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createHands } from '../../create-hands.ts'
import type { Hands } from '../../hands.ts'

const PROGRAM = join(import.meta.dirname, 'testing/docker.sh')
const session = {
  id: 'sesn_1',
  networking: { type: 'unrestricted' as const },
  packages: { apt: [], cargo: [], gem: [], go: [], npm: [], pip: [] },
  mounts: [],
  credentials: [],
}

let home: string
let notes: string
let hands: Hands
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'steward-docker-'))
  notes = join(home, 'notes')
  await mkdir(notes)
  const docker = join(home, 'bin/docker')
  await mkdir(join(home, 'bin'))
  await copyFile(PROGRAM, docker)
  await chmod(docker, 0o755)
  vi.stubEnv('PATH', `${join(home, 'bin')}:${process.env.PATH}`)
  // Selects the daemon, as for the real command.
  vi.stubEnv('DOCKER_HOST', notes)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(home, { recursive: true, force: true })
})

const use = async (name: string, input: Record<string, unknown>) => {
  const call = { id: 'sevt_1', name, input, config: {} }
  const { content, isError } = await hands.execute(session, call, new AbortController().signal)
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
  return { text, isError }
}
const containers = () => readdir(notes)

describe.runIf(process.platform === 'linux').each(['docker', 'gvisor'] as const)(
  'a session in %s',
  (driver) => {
    beforeEach(async () => {
      hands = await createHands({ home, driver })
    })
    afterEach(() => hands.close())

    it('leaves no container behind that could not be started', async () => {
      vi.stubEnv('DOCKER_FAILS', 'run')
      const refused = await use('bash', { command: 'true' })
      expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('not start') })
      expect(await containers()).toEqual([])
    })

    it('has a persistent shell and files, and its container is removed', async () => {
      expect(hands.describe()).toMatchObject({ driver, isolated: true })
      expect(await containers()).toEqual([])
      await use('write', { file_path: '/workspace/a.txt', content: 'kept' })
      await use('bash', { command: 'cd /tmp; export NAME=ada' })
      expect(await use('bash', { command: 'pwd; echo $NAME; cat /workspace/a.txt' })).toEqual({
        text: '/tmp\nada\nkept',
        isError: false,
      })
      expect(await containers()).toHaveLength(1)
      const ended = await use('bash', { command: 'sleep 600', timeout_ms: 1 })
      expect(ended).toMatchObject({ isError: true, text: expect.stringContaining('timed out') })
      expect(await use('bash', { command: 'echo "[$NAME]"' })).toEqual({
        text: '[]',
        isError: false,
      })
      await hands.release(session.id, 'keep')
      expect(await containers()).toEqual([])
      expect(await use('read', { file_path: '/workspace/a.txt' })).toMatchObject({
        isError: false,
        text: expect.stringContaining('kept'),
      })
    })
  },
)
