import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, readlink, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { HostedDatabase } from '../database/hosted-database.ts'
import { describeEngines } from '../database/testing/engines.ts'
import { one } from '../database/tx.ts'
import { locateOutputs } from './snapshot-outputs.ts'
import { createSnapshotPieces } from './snapshot-pieces.ts'
import { countChunks, leaveNothing, NOW, openSnapshotScene } from './testing/snapshot-scene.ts'

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'steward-snapshots-'))
})
afterAll(() => rm(root, { recursive: true, force: true }))

const piecesOf = (database: HostedDatabase) =>
  createSnapshotPieces({ database, bucket: undefined, now: () => NOW })

describeEngines('snapshots of a session', (engine) => {
  const openScene = async (given: { maxBytes?: number } = {}) => {
    const database = await engine.create()
    const scene = await openSnapshotScene({ database, root, pieces: piecesOf(database), ...given })
    return { ...scene, one: scene.home('one'), other: scene.home('other') }
  }

  it('bring its files to another home, with links as links, and nothing temporary', async () => {
    const { one: first, other, database, failures } = await openScene()
    expect(await first.arrive()).toEqual({ notes: [], losses: [] })
    // Larger than one piece, and not compressible.
    const large = crypto.getRandomValues(new Uint8Array(60_000))
    await first.write('workspace/large', Buffer.concat(Array.from({ length: 40 }, () => large)))
    for (let count = 0; count < 40; count += 1) {
      await first.write(`workspace/random-${count}`, crypto.getRandomValues(new Uint8Array(60_000)))
    }
    await first.write('outputs/sub/report.md', 'report')
    await first.write('tmp/draft', 'draft')
    await symlink('/etc/hostname', join(first.folder, 'workspace/link'))
    await first.save()
    expect(await countChunks(database)).toBeGreaterThan(1)

    const arrival = await other.arrive(leaveNothing)
    expect(arrival.losses).toEqual([])
    expect(arrival.notes).toEqual([
      'this session continues on another machine; programs that ran have ended',
    ])
    expect(await readdir(other.folder)).toEqual(['outputs', 'workspace'])
    expect(await other.read('outputs/sub/report.md')).toBe('report')
    expect(await readlink(join(other.folder, 'workspace/link'))).toBe('/etc/hostname')
    expect((await readFile(join(other.folder, 'workspace/large'))).length).toBe(2_400_000)
    expect(failures).toEqual([])
  })

  it('are not stored again while nothing changes, and replace each other', async () => {
    const { one: first, database, sessionId } = await openScene()
    await first.arrive()
    await first.write('workspace/a', '1')
    await first.save()
    const idOf = async () =>
      (
        await database.read(() =>
          one('SELECT snapshot FROM session_places WHERE session_id = $1', sessionId),
        )
      )?.snapshot
    const before = await idOf()
    await first.arrive()
    await first.save()
    expect(await idOf()).toBe(before)
    await first.write('workspace/b', '2')
    await first.save()
    expect(await idOf()).not.toBe(before)
    expect(await countChunks(database)).toBe(1)
  })

  it('say what is lost: changes of an interrupted turn, and all files without a snapshot', async () => {
    const { one: first, other } = await openScene()
    await first.arrive()
    await first.write('workspace/a', '1')
    const none = await other.arrive(leaveNothing)
    expect(none.losses).toEqual([
      'this session continues on another machine, and its files could not be brought along: none were saved',
    ])
    expect(none.notes).toEqual(none.losses)
    await other.write('workspace/b', '2')
    await other.save()
    await other.arrive()
    await other.write('workspace/c', '3')
    const cut = await first.arrive(leaveNothing)
    expect(cut.losses).toEqual([
      'this session continues on another machine with its files as of 1970-01-01T00:16:40.000Z: changes after that are lost',
    ])
    expect(await readdir(join(first.folder, 'workspace'))).toEqual(['b'])
  })

  it('are refused above the limit, which is reported and named on another machine', async () => {
    const { one: first, other, database, failures } = await openScene({ maxBytes: 1024 })
    await first.arrive()
    await first.write('workspace/large', crypto.getRandomValues(new Uint8Array(60_000)))
    await first.save()
    expect(failures).toHaveLength(1)
    expect(await countChunks(database)).toBe(0)
    const { losses } = await other.arrive(leaveNothing)
    expect(losses).toEqual([expect.stringContaining('larger than hosted.snapshotMb')])
  })

  it('of a home that lost the session are dropped', async () => {
    const { one: first, other, database } = await openScene()
    await first.arrive()
    await first.write('workspace/a', '1')
    await first.save()
    await other.arrive(leaveNothing)
    await other.write('workspace/a', '2')
    await other.save()
    await first.write('workspace/a', 'late')
    await first.save()
    expect(await countChunks(database)).toBe(1)
    await first.arrive(leaveNothing)
    expect(await first.read('workspace/a')).toBe('2')
  })

  it('restore a folder that was deleted here', async () => {
    const { one: first } = await openScene()
    await first.arrive()
    await first.write('workspace/a', '1')
    await first.save()
    await rm(first.folder, { recursive: true })
    expect((await first.arrive(leaveNothing)).losses).toEqual([])
    expect(await first.read('workspace/a')).toBe('1')
  })

  it('provide the outputs of a session that runs elsewhere, as of its last turn', async () => {
    const { one: first, database, sessionId } = await openScene()
    const cache = join(root, `${sessionId}-cache`)
    const locate = (homeId: string) =>
      locateOutputs(
        { database, pieces: piecesOf(database), home: join(root, homeId), homeId, cache },
        sessionId,
      )
    await first.arrive()
    await first.write('outputs/a.md', '1')
    await first.save()
    expect(existsSync(await locate('one'))).toBe(false)
    const [folder, same] = await Promise.all([locate('other'), locate('other')])
    expect(same).toBe(folder)
    expect(await readFile(join(folder, 'a.md'), 'utf8')).toBe('1')
    await first.write('outputs/b.md', '2')
    await first.save()
    expect(await readdir(await locate('other'))).toEqual(['a.md', 'b.md'])
    expect(existsSync(folder)).toBe(false)
  })
})
