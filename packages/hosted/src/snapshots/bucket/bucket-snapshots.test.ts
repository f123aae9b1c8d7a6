import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StewardError } from '@steward/contract'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { HostedDatabase } from '../../database/hosted-database.ts'
import { describeEngines } from '../../database/testing/engines.ts'
import { execute, one, query } from '../../database/tx.ts'
import { EMPTY_SUMMARY } from '../../log/summary.ts'
import { createSessionSnapshots } from '../session-snapshots.ts'
import { locateOutputs } from '../snapshot-outputs.ts'
import { createSnapshotPieces } from '../snapshot-pieces.ts'
import { createBucket } from './bucket.ts'
import { dropObjects } from './stored-object.ts'
import { startBucketSweep } from './sweep-bucket.ts'
import { S3_KEYS, type S3Server, startS3Server } from './testing/s3-server.ts'

let root: string
let made = 0
let s3: S3Server
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'steward-bucket-'))
})
afterAll(() => rm(root, { recursive: true, force: true }))
beforeEach(async () => {
  s3 = await startS3Server()
})
afterEach(() => s3.stop())

const NOW = 1_000_000
const leave = async (): Promise<void> => undefined

describeEngines('snapshots in a bucket', (engine) => {
  const openScene = async () => {
    const database = await engine.create()
    const sessionId = `sesn_${++made}`
    await database.write(() =>
      query(
        `INSERT INTO sessions (id, agent_id, agent_version, environment_id, body, summary, status,
           created_ms, updated_ms) VALUES ($1, 'a', 1, 'e', '{}', $2, 'idle', 0, 0)`,
        sessionId,
        JSON.stringify(EMPTY_SUMMARY),
      ),
    )
    const failures: StewardError[] = []
    const report = (error: StewardError) => void failures.push(error)
    const bucket = createBucket({
      settings: {
        ...{ endpoint: s3.endpoint, bucket: s3.bucket, region: s3.region, prefix: 'a/' },
        ...{ pathStyle: true, accessKeyId: 'KEY_ID', secretAccessKey: 'KEY' },
      },
      env: { KEY_ID: S3_KEYS.id, KEY: S3_KEYS.secret },
      fetch,
      now: Date.now,
      sleep: async () => undefined,
    })
    const inBucket = createSnapshotPieces({ database, bucket, now: () => NOW })
    const inStore = createSnapshotPieces({ database, bucket: undefined, now: () => NOW })
    const home = (name: string, pieces = inBucket) => {
      const folder = join(root, `${sessionId}-${name}`)
      const files = createSessionSnapshots({
        ...{ database, pieces, homeId: name, maxBytes: 1024 ** 2 * 32, now: () => NOW, report },
      })
      return {
        folder,
        arrive: () => files.arrive(sessionId, folder, leave),
        save: () => files.save(sessionId, folder),
        write: async (path: string, text: string | Uint8Array) => {
          await mkdir(join(folder, path, '..'), { recursive: true })
          await writeFile(join(folder, path), text)
        },
        read: (path: string) => readFile(join(folder, path), 'utf8'),
      }
    }
    /** Sweeps once, as a server does that starts now. */
    const sweep = async (): Promise<void> => {
      let look = (): void => undefined
      const repeat = (_: number, action: () => void) => {
        look = action
        return () => undefined
      }
      const stop = startBucketSweep({ database, bucket, now: () => NOW, repeat, report })
      await expect
        .poll(async () => {
          look()
          const gone = await database.read(() =>
            one('SELECT COUNT(*) AS count FROM snapshot_objects WHERE gone_ms IS NOT NULL'),
          )
          return failures.length > 0 || Number(gone?.count) === 0
        })
        .toBe(true)
      await stop()
    }
    return { database, sessionId, failures, home, inStore, inBucket, sweep }
  }
  type Scene = Awaited<ReturnType<typeof openScene>>
  /** A session with files that only the first home and the bucket have. */
  const begin = async ({ home }: Scene) => {
    const one = home('one')
    await one.arrive()
    await one.write('workspace/a', '1')
    await one.write('outputs/report.md', 'report')
    await one.save()
    return one
  }
  const countChunks = async (database: HostedDatabase): Promise<number> =>
    Number((await database.read(() => one('SELECT COUNT(*) AS count FROM snapshot_chunks')))?.count)

  it('bring the files to another home in several objects, with nothing in the store', async () => {
    const scene = await openScene()
    const one = scene.home('one')
    await one.arrive()
    const large = Buffer.concat(
      Array.from({ length: 200 }, () => crypto.getRandomValues(new Uint8Array(60_000))),
    )
    await one.write('workspace/large', large)
    await one.save()
    expect([...s3.objects.keys()].map((name) => name.split('/').slice(-1))).toEqual([['0'], ['1']])
    expect([...s3.objects.keys()].every((name) => name.startsWith(`a/${scene.sessionId}/`))).toBe(
      true,
    )
    expect(await countChunks(scene.database)).toBe(0)
    const other = scene.home('other')
    expect((await other.arrive()).losses).toEqual([])
    expect(Buffer.compare(await readFile(join(other.folder, 'workspace/large')), large)).toBe(0)
    expect(scene.failures).toEqual([])
  })

  it('provide the outputs of a session that runs elsewhere', async () => {
    const scene = await openScene()
    await begin(scene)
    const { database, inBucket: pieces, sessionId } = scene
    const cache = join(root, `${sessionId}-cache`)
    const place = { database, pieces, home: join(root, 'other'), homeId: 'other', cache }
    const folder = await locateOutputs(place, sessionId)
    expect(await readFile(join(folder, 'report.md'), 'utf8')).toBe('report')
  })

  it('are restored on a machine that has the store, and lost the folder', async () => {
    const scene = await openScene()
    const one = await begin(scene)
    await rm(one.folder, { recursive: true })
    expect((await one.arrive()).losses).toEqual([])
    expect(await one.read('workspace/a')).toBe('1')
  })

  it('report objects that are missing or changed, and the session continues', async () => {
    const scene = await openScene()
    await begin(scene)
    const [name = ''] = s3.objects.keys()
    const whole = s3.objects.get(name) ?? Buffer.alloc(0)
    s3.objects.set(name, Buffer.from(whole.map((byte, index) => (index === 20 ? byte ^ 1 : byte))))
    const changed = await scene.home('other').arrive()
    expect(changed.losses).toEqual([expect.stringMatching(/could not be brought .* was changed/)])
    expect(changed.notes).toEqual(changed.losses)
    s3.objects.clear()
    const missing = await scene.home('third').arrive()
    expect(missing.losses).toEqual([expect.stringMatching(/could not be brought .* is missing/)])
  })

  it('keep the files and report it if the bucket refuses or is unreachable', async () => {
    const scene = await openScene()
    await begin(scene)
    const other = scene.home('other')
    s3.answer = () => ({ status: 403, code: 'AccessDenied' })
    await expect(other.arrive()).rejects.toThrow(/are not lost, but .* AccessDenied/)
    s3.answer = () => ({ status: 500, code: 'InternalError' })
    await expect(other.arrive()).rejects.toThrow(/are not lost, but .* InternalError/)
    const without = scene.home('without', scene.inStore)
    await expect(without.arrive()).rejects.toThrow(/are not lost, but .* of this server is not/)
    s3.answer = () => undefined
    await other.arrive()
    expect(await other.read('workspace/a')).toBe('1')
  })

  it('that cannot be put are reported, and named on another machine', async () => {
    const scene = await openScene()
    const one = await begin(scene)
    s3.answer = (request) =>
      request.startsWith('PUT') ? { status: 403, code: 'AccessDenied' } : undefined
    await one.arrive()
    await one.write('workspace/a', '2')
    await one.save()
    expect(scene.failures.map(({ code }) => code)).toEqual(['bucket_refused'])
    const other = scene.home('other')
    const { losses } = await other.arrive()
    expect(losses).toEqual([expect.stringMatching(/changes after that are lost \(the bucket/)])
    expect(await other.read('workspace/a')).toBe('1')
  })

  it('leave the bucket once they are replaced, given up or their session is deleted', async () => {
    const scene = await openScene()
    const one = await begin(scene)
    await one.write('workspace/a', '2')
    await one.save()
    expect(s3.objects.size).toBe(2)
    await scene.sweep()
    expect(s3.objects.size).toBe(1)

    // This home has lost the session, and its late copy is given up.
    await scene.home('other').arrive()
    await one.write('workspace/a', 'late')
    await one.save()
    expect(s3.objects.size).toBe(2)
    await scene.sweep()
    expect(s3.objects.size).toBe(1)

    await scene.database.write(function* () {
      yield* dropObjects(scene.sessionId, NOW)
      yield* execute('DELETE FROM sessions WHERE id = $1', scene.sessionId)
    })
    await scene.sweep()
    expect(s3.objects.size).toBe(0)
    expect(scene.failures).toEqual([])
  })

  it('of a server that was killed while it stored them leave the bucket too', async () => {
    const scene = await openScene()
    await begin(scene)
    await scene.database.write(() => execute('DELETE FROM sessions WHERE id = $1', scene.sessionId))
    await scene.sweep()
    await scene.sweep()
    expect(s3.objects.size).toBe(0)
  })

  it('move from the store to the bucket with the next turn', async () => {
    const scene = await openScene()
    const before = scene.home('one', scene.inStore)
    await before.arrive()
    await before.write('workspace/a', '1')
    await before.save()
    expect(await countChunks(scene.database)).toBe(1)
    const other = scene.home('other')
    await other.arrive()
    expect(await other.read('workspace/a')).toBe('1')
    await other.save()
    expect([await countChunks(scene.database), s3.objects.size]).toEqual([0, 1])
    expect(existsSync(other.folder)).toBe(true)
  })
})
