import type { TestProject } from 'vitest/node'
import { startPostgres } from './start-postgres.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A server where tests create their own databases; only in the Postgres project. */
    hostedPostgres: string
  }
}

/** Starts one server for all Postgres tests. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const server = await startPostgres()
  project.provide('hostedPostgres', await server.createDatabase())
  return server.stop
}
