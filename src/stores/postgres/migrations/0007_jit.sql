-- Some of the functions rule out plans that cost too much by setting a price on them; where one must be taken all the same, its price
-- is beyond what just-in-time compilation waits for. Compiling takes 0.4 s, each time, for reads of a millisecond.
do $$
declare
  f record;
begin
  for f in
    select p.oid::regprocedure as signature
    from pg_proc p
    where p.pronamespace = 'context'::regnamespace and p.prosecdef
  loop
    execute format('alter function %s set jit = off', f.signature);
  end loop;
end $$;
