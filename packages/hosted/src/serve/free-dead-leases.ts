import type { HostedDatabase } from '../database/hosted-database.ts'
import { freeLeases, listLeaseOwners } from '../log/lease.ts'

/**
 * Frees what brains of this machine held when they were killed, so that their sessions go on at once
 * and not when the leases run out. Machines that are gone are waited for.
 */
export const freeDeadLeases = async (
  database: HostedDatabase,
  isDead: (owner: string) => boolean,
): Promise<void> => {
  const owners = await database.read(() => listLeaseOwners())
  for (const owner of owners.filter(isDead)) await database.write(() => freeLeases(owner))
}
