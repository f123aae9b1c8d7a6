import { StewardError } from '@steward/contract'
import { expect, it } from 'vitest'
import type { HostedDatabase } from './hosted-database.ts'
import { describeEngines } from './testing/engines.ts'
import { attempt, execute, one, query, type Tx } from './tx.ts'

function* addKey(id: string, name: string | null): Tx<void> {
  yield* execute(
    `INSERT INTO keys (id, hash, hint, name, scope, created_ms) VALUES ($1, $1, '', $2, 'own', 0)`,
    id,
    name,
  )
}

const idsIn = async (database: HostedDatabase): Promise<unknown[]> => {
  const rows = await database.read(() => query('SELECT id FROM keys ORDER BY id'))
  return rows.map(({ id }) => id)
}

describeEngines('a transaction', (engine) => {
  it('runs statements whose rows are not needed in order', async () => {
    const database = await engine.create()
    const counted = await database.write(function* () {
      for (let count = 0; count < 100; count++) yield* addKey(`key_${count}`, 'a')
      yield* execute("DELETE FROM keys WHERE id <> 'key_7'")
      return yield* one('SELECT COUNT(*) AS left_over FROM keys')
    })
    expect(Number(counted?.left_over)).toBe(1)
    expect(await idsIn(database)).toEqual(['key_7'])
  })

  it('fails with the first failure of such a statement and writes nothing', async () => {
    const database = await engine.create()
    const endings: readonly ((() => Tx<unknown>) | undefined)[] = [
      undefined,
      () => addKey('key_3', 'c'),
      () => query('SELECT id FROM keys'),
    ]
    for (const ending of endings) {
      const broken = database.write(function* () {
        yield* addKey('key_1', 'a')
        yield* addKey('key_2', null)
        if (ending !== undefined) yield* ending()
      })
      await expect(broken).rejects.toThrow(/not.null/i)
    }
    expect(await idsIn(database)).toEqual([])
    // The connection is usable again.
    await database.write(() => addKey('key_1', 'a'))
    expect(await idsIn(database)).toEqual(['key_1'])
  })

  it('throws its own error while such statements are in progress', async () => {
    const database = await engine.create()
    const broken = database.write(function* () {
      yield* addKey('key_1', null)
      throw new Error('the process stumbled')
    })
    await expect(broken).rejects.toThrow(database.engine === 'sqlite' ? /not.null/i : 'stumbled')
    expect(await idsIn(database)).toEqual([])
  })

  it('undoes refused work and continues, unless a statement of that work failed', async () => {
    const database = await engine.create()
    const tryAdding = (name: string | null) =>
      database.write(function* () {
        const made = yield* attempt(function* () {
          yield* addKey('key_1', name)
          throw new StewardError('not_found', { what: 'agent', name: 'agent_1' })
        })
        yield* addKey('key_2', 'b')
        return made.ok
      })
    await expect(tryAdding(null)).rejects.toThrow(/not.null/i)
    expect(await idsIn(database)).toEqual([])
    expect(await tryAdding('a')).toBe(false)
    expect(await idsIn(database)).toEqual(['key_2'])
  })
})
