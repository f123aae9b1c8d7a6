import type { TestProject } from 'vitest/node'
import { openPostgres } from '../open-postgres.ts'
import { startPostgres } from './start-postgres.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** An empty store that tests copy for their own; only in the Postgres project. */
    hostedPostgres: string
  }
}

/** Starts one server for all Postgres tests. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const server = await startPostgres()
  const url = await server.createDatabase()
  const store = await openPostgres({
    url,
    report: (error) => {
      throw error
    },
  })
  // A database with open connections cannot be copied.
  await store.close()
  project.provide('hostedPostgres', url)
  return server.stop
}
