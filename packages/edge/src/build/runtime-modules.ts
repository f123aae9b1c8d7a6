/** The modules that generated entries import: in a clone sources, in an installation what was packed. */
export interface RuntimeModules {
  /** `@steward/worker` */
  worker: string
  /** `steward/container` */
  container: string
  /** `@steward/contract` */
  contract: string
}
