import type { Principal } from '../../domain/record.ts'

/** Condition on the owner. Both null: all owners. */
export const OWNED = '(@tenant is null or tenant = @tenant) and (@userId is null or user_id = @userId)'

/** The values of {@link OWNED}. */
export function ownerOf(within: Principal | undefined): { tenant: string | null; userId: string | null } {
  return { tenant: within?.tenant ?? null, userId: within?.userId ?? null }
}
