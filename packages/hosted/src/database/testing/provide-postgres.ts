import type { TestProject } from 'vitest/node'
import { startPostgres } from './start-postgres.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A server on which tests make databases of their own; only in the project that runs on Postgres. */
    hostedPostgres: string
  }
}

/** Before the tests that run on Postgres as well: one server for all of them. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const server = await startPostgres()
  project.provide('hostedPostgres', await server.createDatabase())
  return server.stop
}
