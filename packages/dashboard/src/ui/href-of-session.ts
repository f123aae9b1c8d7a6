/** The page of a session; background agents have one of their own. */
export const hrefOfSession = ({ id, host }: { id: string; host: string }): string =>
  `/${host === 'hosted' ? 'hosted' : 'sessions'}/${encodeURIComponent(id)}`
