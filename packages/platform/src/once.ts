/** Creates a value once for all callers; after a failure the next caller tries again. */
export const once = <Value>(create: () => Promise<Value>): (() => Promise<Value>) => {
  let created: Promise<Value> | undefined
  return () => {
    created ??= create().catch((thrown: unknown) => {
      created = undefined
      throw thrown
    })
    return created
  }
}
