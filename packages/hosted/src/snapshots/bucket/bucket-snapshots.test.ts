import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { describeEngines } from '../../database/testing/engines.ts'
import { execute, one } from '../../database/tx.ts'
import { locateOutputs } from '../snapshot-outputs.ts'
import { createSnapshotPieces } from '../snapshot-pieces.ts'
import { countChunks, leaveNothing, NOW, openSnapshotScene } from '../testing/snapshot-scene.ts'
import { dropObjects } from './stored-object.ts'
import { startBucketSweep } from './sweep-bucket.ts'
import { openTestBucket } from './testing/open-test-bucket.ts'
import { type S3Server, startS3Server } from './testing/s3-server.ts'

let root: string
let s3: S3Server
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'steward-bucket-'))
})
afterAll(() => rm(root, { recursive: true, force: true }))
beforeEach(async () => {
  s3 = await startS3Server()
})
afterEach(() => s3.stop())

describeEngines('snapshots in a bucket', (engine) => {
  const openScene = async () => {
    const database = await engine.create()
    const bucket = openTestBucket(s3)
    const inBucket = createSnapshotPieces({ database, bucket, now: () => NOW })
    const inStore = createSnapshotPieces({ database, bucket: undefined, now: () => NOW })
    const scene = await openSnapshotScene({ database, root, pieces: inBucket })
    const { failures, report } = scene
    /** Sweeps once, like a server at its start. */
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
    return { ...scene, inStore, inBucket, sweep }
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
    expect((await other.arrive(leaveNothing)).losses).toEqual([])
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
    expect((await one.arrive(leaveNothing)).losses).toEqual([])
    expect(await one.read('workspace/a')).toBe('1')
  })

  it('report objects that are missing or changed, and the session continues', async () => {
    const scene = await openScene()
    await begin(scene)
    const [name = ''] = s3.objects.keys()
    const whole = s3.objects.get(name) ?? Buffer.alloc(0)
    s3.objects.set(name, Buffer.from(whole.map((byte, index) => (index === 20 ? byte ^ 1 : byte))))
    const changed = await scene.home('other').arrive(leaveNothing)
    expect(changed.losses).toEqual([expect.stringMatching(/could not be brought .* was changed/)])
    expect(changed.notes).toEqual(changed.losses)
    s3.objects.clear()
    const missing = await scene.home('third').arrive(leaveNothing)
    expect(missing.losses).toEqual([expect.stringMatching(/could not be brought .* is missing/)])
  })

  it('keep the files and report it if the bucket refuses or is unreachable', async () => {
    const scene = await openScene()
    await begin(scene)
    const other = scene.home('other')
    s3.answer = () => ({ status: 403, code: 'AccessDenied' })
    await expect(other.arrive(leaveNothing)).rejects.toThrow(/are not lost, but .* AccessDenied/)
    s3.answer = () => ({ status: 500, code: 'InternalError' })
    await expect(other.arrive(leaveNothing)).rejects.toThrow(/are not lost, but .* InternalError/)
    const without = scene.home('without', scene.inStore)
    await expect(without.arrive(leaveNothing)).rejects.toThrow(
      /are not lost, but .* of this server is not/,
    )
    s3.answer = () => undefined
    await other.arrive(leaveNothing)
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
    const { losses } = await other.arrive(leaveNothing)
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
    await scene.home('other').arrive(leaveNothing)
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
    await other.arrive(leaveNothing)
    expect(await other.read('workspace/a')).toBe('1')
    await other.save()
    expect([await countChunks(scene.database), s3.objects.size]).toEqual([0, 1])
    expect(existsSync(other.folder)).toBe(true)
  })
})
