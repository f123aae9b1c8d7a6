import { HOSTS, type HostName } from '@steward/contract'
import { type Home, isNewer, readTail } from '@steward/platform'
import { z } from 'zod'
import { firingsPath } from '../hook/record-firing.ts'

const firing = z.object({
  timestamp: z.string(),
  host: z.enum(HOSTS),
  event: z.string(),
  origin: z.string().optional(),
  guard: z.boolean().optional(),
  duration_ms: z.number(),
  yielded: z.boolean().optional(),
  errors: z.array(z.string()).optional(),
})
export type ReadFiring = z.infer<typeof firing>

const ROWS_READ = 50_000

/** The recorded firings of the hook program, oldest first. */
export const readFirings = async (home: Home): Promise<ReadonlyMap<HostName, ReadFiring[]>> => {
  const { rows } = await readTail(firingsPath(home), { rows: ROWS_READ })
  const found = rows.flatMap(({ row }) => {
    const parsed = firing.safeParse(row)
    return parsed.success && !isNewer(row) ? [parsed.data] : []
  })
  return Map.groupBy(found, ({ host }) => host)
}
