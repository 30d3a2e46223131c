module Main (main) where

import qualified Data.Map as Map

-- Words by length, and a slow sum: few cost centres with known entries.
fib :: Int -> Int
fib n = if n < 2 then n else {-# SCC left_side #-} fib (n - 1) + fib (n - 2)

count :: [Int] -> Map.Map Int Int
count = foldr (\x -> Map.insertWith (+) (x `mod` 17) 1) Map.empty

été :: Int -> Int
été n = sum (map fib [1 .. n])

main :: IO ()
main = do
    print (été 27)
    print (Map.toList (count [1 .. 20000]))
